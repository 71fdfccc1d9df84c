package phrases

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
)

// The signs on buttons, which need no translation. Beside LabelAgain is which of the
// alternatives is shown.
const (
	LabelBack  = "◀"
	LabelAgain = "↻"
	LabelMore  = "⋯"
	LabelOn    = "▶"
)

// Until returns a phrase with the placeholder When for a time.
func Until(id ID, t time.Time) Phrase { return Phrase{ID: id, Values: Values{"When": At(t)}} }

// At returns Discord's markup for a time, which each reader sees relative to now, such
// as "in an hour".
func At(t time.Time) string { return fmt.Sprintf("<t:%d:R>", t.Unix()) }

// On returns Discord's markup for a time, which each reader sees as a date with a time of
// day, such as "20 November 2026 13:14".
func On(t time.Time) string { return fmt.Sprintf("<t:%d:f>", t.Unix()) }

// Refusal returns the phrase for a file that Discord did not accept, with the HTTP status of
// the response.
func Refusal(status int) Phrase {
	return Phrase{ID: "file_refused", Values: Values{"Status": strconv.Itoa(status)}}
}

// OrAsk adds to p whom people can ask if the trouble lasts. It does so only for phrases
// about trouble that perhaps only heddle's operator can end, and returns any other
// phrase unchanged.
func (p Phrase) OrAsk(contact string) Phrase {
	lasting := []ID{"unreachable", "model_busy", "model_failed", "model_unclear", "model_stopped", "model_misset", "model_quota", "tool_failed", "internal", "no_memory", "command_failed", "wish_failed"}
	if slices.Contains(lasting, p.ID) {
		p.Contact = contact
	}
	return p
}

// NoticeReused returns the notice below an answer that was given before. It says how to
// get another answer.
func (l Language) NoticeReused(age time.Duration) string {
	return l.Text("notice_reused", Values{"Ago": l.ago(age)})
}

// NoticeFiles returns the notice that names the alternative to which files below an
// answer belong. of is the index of the alternative, or negative for an answer that can
// no longer be shown.
func (l Language) NoticeFiles(of int, names []string) string {
	values := Values{"Number": of + 1, "Names": strings.Join(names, ", ")}
	if of < 0 {
		return l.Text("notice_files_earlier", values)
	}
	return l.Text("notice_files", values)
}

// Unread is a part of a question that the model is not shown, such as a file, and why.
type Unread struct {
	Name string
	Why  ID
}

// The bounds of what people read about files that the model is not shown.
const (
	mostUnread = 5  // that are named
	longUnread = 40 // characters of a name
)

// NoticeNotRead returns the notice that names what of a question the model is not shown,
// or "" if there is nothing.
func (l Language) NoticeNotRead(files []Unread) string {
	if len(files) == 0 {
		return ""
	}
	var names []string
	for _, f := range files[:min(len(files), mostUnread)] {
		name := strings.ReplaceAll(graph.OneLine(f.Name, longUnread), "`", "'")
		names = append(names, "`"+cmp.Or(name, "?")+"` ("+l.Text(f.Why, nil)+")")
	}
	if more := len(files) - mostUnread; more > 0 {
		names = append(names, l.Text("not_read_more", Values{"Number": more}))
	}
	return l.Text("notice_not_read", Values{"Names": strings.Join(names, ", ")})
}

// ago returns in words how long ago something was.
func (l Language) ago(d time.Duration) string {
	if d < time.Minute {
		return l.Text("ago_now", nil)
	}
	return l.span(d, []ID{"ago_days", "ago_hours", "ago_minutes"}, func(unit time.Duration) bool { return d >= unit })
}

// Roughly returns a duration in its largest unit.
func (l Language) Roughly(d time.Duration) string {
	return l.span(d, []ID{"days", "hours", "minutes"}, func(unit time.Duration) bool { return d >= unit })
}

// Exactly returns a duration of whole seconds, in the largest unit that divides it.
func (l Language) Exactly(d time.Duration) string {
	return l.span(d, []ID{"days", "hours", "minutes"}, func(unit time.Duration) bool { return d%unit == 0 })
}

// span returns a duration in the first unit that suits, or else in seconds.
func (l Language) span(d time.Duration, words []ID, suits func(unit time.Duration) bool) string {
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		if suits(unit) {
			return l.Count(words[i], int(d/unit), nil)
		}
	}
	return l.Count("seconds", int(d/time.Second), nil)
}

// Doing returns what people see while a tool runs, or "" if tool is "".
func (l Language) Doing(tool string) string {
	if tool == "" {
		return ""
	}
	said, known := map[string]ID{
		"create_artifact": "doing_artifact", "search_channel": "doing_search", "ask_subagent": "doing_subagent", "waiting": "doing_waiting",
	}[tool]
	if !known {
		said = "doing_other"
	}
	return l.Text(said, Values{"Tool": tool})
}

// IsDoing reports whether a line is one that Doing returns, in any language.
func IsDoing(line string) bool {
	return strings.HasPrefix(line, "-# ") && strings.HasSuffix(line, " …")
}

// Lines joins the lines that are not empty.
func Lines(lines ...string) string {
	kept := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return line == "" })
	return strings.Join(kept, "\n")
}

// WithoutNotices returns a text of a message of heddle's without the notices that end it,
// in whichever language they are. It returns "" for a message that is nothing but a notice,
// such as that heddle is paused: nobody talks with that.
func WithoutNotices(text string) string {
	for {
		said := strings.TrimRight(text, " \n")
		last := strings.LastIndexByte(said, '\n') + 1
		if !isNotice(said[last:]) {
			return text
		}
		text = strings.TrimRight(said[:last], " \n")
	}
}

func isNotice(line string) bool { return IsDoing(line) || notices().MatchString(line) }

// noticeIDs returns the phrases that people read in a channel in place of an answer, below
// one or beside the conversation. Each is a single line.
func noticeIDs() []ID {
	return []ID{
		"unreachable", "model_busy", "model_failed", "model_unclear", "model_stopped", "model_misset", "model_quota", "too_long", "refused", "empty",
		"shutdown", "no_history", "discord_trouble", "tools_endless", "tool_failed", "file_too_large", "file_forbidden", "file_refused",
		"internal", "over_answer", "over_person", "over_channel", "over_guild", "over_all", "paused", "conversation_gone", "no_memory", "command_failed",
		"not_read", "opted_out", "opted_in", "forgotten", "not_permitted", "wish_failed", "question_not_read", "lacks_to_answer", "welcome", "welcome_missing",
		"notice_stopped", "notice_before_edit", "notice_cut", "notice_truncated", "notice_foreign", "notice_hidden", "notice_alone", "notice_unseen", "notice_left_out", "notice_summary", "notice_outside", "notice_unsent",
		"notice_not_read",
		"notice_no_history", "notice_no_records", "notice_reused", "notice_files", "notice_files_earlier",
	}
}

// notices returns what matches a line that is a notice, also in small print, as below a list
// of talks.
//
//nolint:gochecknoglobals // it is made of what is embedded, and says nothing else later
var notices = sync.OnceValue(func() *regexp.Regexp {
	var lines []string
	for i := range translations().all {
		l := translations().speak(i, language.English)
		for _, id := range noticeIDs() {
			lines = append(lines, pattern(l.Text(id, anything())))
			p := Phrase{ID: id, Values: anything()}.OrAsk(anyValue)
			lines = append(lines, pattern(l.Say(p)))
		}
	}
	return regexp.MustCompile(`^(?:-# )?(?:` + strings.Join(lines, "|") + `)$`)
})

// anyValue stands for the value of a placeholder.
const anyValue = "\x00"

// anything returns anyValue for each placeholder of a notice.
func anything() Values {
	values := make(Values)
	for _, name := range []string{"When", "Where", "Missing", "Status", "Ago", "Number", "Names"} {
		values[name] = anyValue
	}
	return values
}

// pattern returns what matches a text with anything in place of anyValue.
func pattern(text string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(text), anyValue, ".+")
}

// NoticeNoHistory returns the notice that heddle cannot read earlier messages because
// it lacks permissions.
func (l Language) NoticeNoHistory(missing discord.Permissions) string {
	return l.Text("notice_no_history", Values{"Missing": l.Permissions(missing)})
}

// Permissions lists permissions by the names that Discord's clients give them in the
// language. Permissions that heddle never needs are left out.
func (l Language) Permissions(p discord.Permissions) string { return l.listed("permission", p) }

// Needs lists what heddle needs permissions for.
func (l Language) Needs(p discord.Permissions) string { return l.listed("need", p) }

// listed lists the phrases of a kind that are named after permissions.
func (l Language) listed(kind string, p discord.Permissions) string {
	var all []string
	for _, needed := range []struct {
		permission discord.Permissions
		name       string
	}{
		{discord.PermissionViewChannel, "view"},
		{discord.PermissionConnect, "connect"},
		{discord.PermissionSendMessages, "send"},
		{discord.PermissionSendInThreads, "send_in_threads"},
		{discord.PermissionReadHistory, "history"},
		{discord.PermissionAttachFiles, "attach"},
		{discord.PermissionCreateThreads, "threads"},
	} {
		if p.Has(needed.permission) {
			all = append(all, l.Text(ID(kind+"_"+needed.name), nil))
		}
	}
	return strings.Join(all, l.Text("permission_comma", nil))
}

// Excerpt returns what a message says, without its marks, on one line of at most so many
// characters. It does not show what a spoiler hides.
func Excerpt(m *graph.Message, size int) string {
	unmarked := graph.Message{Text: markdown.Unmarked(m.Text), Attachments: m.Attachments}
	return Quoted(unmarked.Says(), size)
}

// Quoted returns text on one line, of at most so many characters, in which nothing is
// Discord's markup.
func Quoted(text string, size int) string {
	var b strings.Builder
	for _, r := range graph.OneLine(text, size) {
		if strings.ContainsRune("\\*_~`|>[]()<", r) || b.Len() == 0 && strings.ContainsRune("#-+", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "…"
	}
	return b.String()
}
