package phrases

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/bot/tools"
)

// Until says that something is over, or goes on, at a time. The phrase has the
// placeholder When.
func Until(id ID, t time.Time) Phrase { return Phrase{ID: id, Values: Values{"When": At(t)}} }

// At returns a time as Discord shows it to each reader: in an hour.
func At(t time.Time) string { return fmt.Sprintf("<t:%d:R>", t.Unix()) }

// Refusal says that Discord did not take a file, and with what it answered: an HTTP
// status and, unless it is 0, a code of its own.
func Refusal(status, code int) Phrase {
	if code == 0 {
		return Phrase{ID: FileRefused, Values: Values{"Status": status}}
	}
	return Phrase{ID: FileRefusedCode, Values: Values{"Status": status, "Code": code}}
}

// OrAsk returns p with whom people can ask if it goes on, where that may be trouble that
// only whoever runs heddle can end. Everything else is returned as it is.
func (p Phrase) OrAsk(contact string) Phrase {
	lasting := []ID{Unreachable, ModelBusy, ModelFailed, ModelStopped, ModelMisset, ModelQuota, ToolFailed, Internal, NoMemory, CommandFailed, WishFailed}
	if slices.Contains(lasting, p.ID) {
		p.Contact = contact
	}
	return p
}

// NoticeReused marks an answer that was given before, and names the way to another.
func (l Language) NoticeReused(age time.Duration) string {
	return l.Text(noticeReused, Values{"Ago": l.ago(age)})
}

// NoticeFiles names the alternative that files below an answer belong to. Of is the
// alternative's index, or negative for an answer that can no longer be shown.
func (l Language) NoticeFiles(of int, names []string) string {
	values := Values{"Number": of + 1, "Names": strings.Join(names, ", ")}
	if of < 0 {
		return l.Text(noticeFilesEarlier, values)
	}
	return l.Text(noticeFiles, values)
}

// ago is how long ago something was, in words.
func (l Language) ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return l.Text(agoNow, nil)
	case d < time.Hour:
		return l.Count(agoMinutes, int(d/time.Minute), nil)
	case d < day:
		return l.Count(agoHours, int(d/time.Hour), nil)
	default:
		return l.Count(agoDays, int(d/day), nil)
	}
}

// Doing is what people see while a tool is at work; "" if none is.
func (l Language) Doing(tool string) string {
	switch tool {
	case "":
		return ""
	case tools.NameArtifact:
		return l.Text(doingArtifact, nil)
	case tools.NameSearch:
		return l.Text(doingSearch, nil)
	case tools.NameSubagent:
		return l.Text(doingSubagent, nil)
	case tools.Waiting:
		return l.Text(doingWaiting, nil)
	default:
		return l.Text(doingOther, nil)
	}
}

// IsDoing reports whether a line is one that Doing returns, in whatever language.
func IsDoing(line string) bool {
	return strings.HasPrefix(line, "-# ") && strings.HasSuffix(line, " …")
}

// Lines joins the lines that are not empty.
func Lines(lines ...string) string {
	var kept []string
	for _, line := range lines {
		if line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
