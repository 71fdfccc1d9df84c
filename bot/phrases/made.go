package phrases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/bot/tools"
)

// Until returns a phrase with the placeholder When for a time.
func Until(id ID, t time.Time) Phrase { return Phrase{ID: id, Values: Values{"When": At(t)}} }

// At returns Discord's markup for a time, which each reader sees relative to now, such
// as "in an hour".
func At(t time.Time) string { return fmt.Sprintf("<t:%d:R>", t.Unix()) }

// On returns Discord's markup for a time, which each reader sees as a date with a time of
// day, such as "20 November 2026 13:14".
func On(t time.Time) string { return fmt.Sprintf("<t:%d:f>", t.Unix()) }

// Refusal returns the phrase for a file that Discord did not accept. It names the HTTP
// status of the response and, unless it is 0, Discord's error code.
func Refusal(status, code int) Phrase {
	if code == 0 {
		return Phrase{ID: FileRefused, Values: Values{"Status": strconv.Itoa(status)}}
	}
	return Phrase{ID: FileRefusedCode, Values: Values{"Status": strconv.Itoa(status), "Code": strconv.Itoa(code)}}
}

// OrAsk adds to p whom people can ask if the trouble lasts. It does so only for phrases
// about trouble that perhaps only heddle's operator can end, and returns any other
// phrase unchanged.
func (p Phrase) OrAsk(contact string) Phrase {
	lasting := []ID{Unreachable, ModelBusy, ModelFailed, ModelUnclear, ModelStopped, ModelMisset, ModelQuota, ToolFailed, Internal, NoMemory, CommandFailed, WishFailed}
	if slices.Contains(lasting, p.ID) {
		p.Contact = contact
	}
	return p
}

// NoticeReused returns the notice below an answer that was given before. It says how to
// get another answer.
func (l Language) NoticeReused(age time.Duration) string {
	return l.Text(noticeReused, Values{"Ago": l.ago(age)})
}

// NoticeFiles returns the notice that names the alternative to which files below an
// answer belong. of is the index of the alternative, or negative for an answer that can
// no longer be shown.
func (l Language) NoticeFiles(of int, names []string) string {
	values := Values{"Number": of + 1, "Names": strings.Join(names, ", ")}
	if of < 0 {
		return l.Text(noticeFilesEarlier, values)
	}
	return l.Text(noticeFiles, values)
}

// ago returns in words how long ago something was.
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

// Doing returns what people see while a tool runs, or "" if tool is "".
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

// IsDoing reports whether a line is one that Doing returns, in any language.
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
