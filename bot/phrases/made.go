package phrases

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"heddle/bot/tools"
	"heddle/internal/discord"
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
	return Phrase{ID: FileRefused, Values: Values{"Status": strconv.Itoa(status)}}
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
	if d < time.Minute {
		return l.Text(agoNow, nil)
	}
	return l.span(d, []ID{agoDays, agoHours, agoMinutes}, func(unit time.Duration) bool { return d >= unit })
}

// Roughly returns a duration in its largest unit.
func (l Language) Roughly(d time.Duration) string {
	return l.span(d, []ID{Days, Hours, Minutes}, func(unit time.Duration) bool { return d >= unit })
}

// Exactly returns a duration of whole seconds, in the largest unit that divides it.
func (l Language) Exactly(d time.Duration) string {
	return l.span(d, []ID{Days, Hours, Minutes}, func(unit time.Duration) bool { return d%unit == 0 })
}

// span returns a duration in the first unit that suits, or else in seconds.
func (l Language) span(d time.Duration, words []ID, suits func(unit time.Duration) bool) string {
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
		if suits(unit) {
			return l.Count(words[i], int(d/unit), nil)
		}
	}
	return l.Count(Seconds, int(d/time.Second), nil)
}

// Doing returns what people see while a tool runs, or "" if tool is "".
func (l Language) Doing(tool string) string {
	if tool == "" {
		return ""
	}
	said, known := map[string]ID{
		tools.NameArtifact: doingArtifact, tools.NameSearch: doingSearch, tools.NameSubagent: doingSubagent, tools.Waiting: doingWaiting,
	}[tool]
	if !known {
		said = doingOther
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
		Unreachable, ModelBusy, ModelFailed, ModelUnclear, ModelStopped, ModelMisset, ModelQuota, TooLong, Refused, Empty,
		Shutdown, NoHistory, DiscordTrouble, ToolsEndless, ToolFailed, FileTooLarge, FileForbidden, FileRefused,
		Internal, OverAnswer, OverPerson, OverChannel, OverGuild, OverAll, Paused, ConversationGone, NoMemory, CommandFailed,
		NotRead, OptedOut, OptedIn, Forgotten, NotPermitted, WishFailed, QuestionNotRead, LacksToAnswer, Welcome, WelcomeMissing,
		NoticeStopped, NoticeCut, NoticeTruncated, NoticeForeign, NoticeHidden, NoticeAlone, NoticeUnseen, NoticeLeftOut, NoticeSummary, NoticeOutside,
		noticeNoHistory, noticeReused, noticeFiles, noticeFilesEarlier,
	}
}

// notices returns what matches a line that is a notice, also in small print, as below a list
// of talks.
//
//nolint:gochecknoglobals // it is made of what is embedded, and says nothing else later
var notices = sync.OnceValue(func() *regexp.Regexp {
	var lines []string
	for _, tag := range bundle().LanguageTags() {
		l := In(tag.String())
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
	return l.Text(noticeNoHistory, Values{"Missing": l.Permissions(missing)})
}

// Permissions lists permissions by the names that Discord's clients give them in the
// language. Permissions that heddle never needs are left out.
func (l Language) Permissions(p discord.Permissions) string { return l.listed("permission_", p) }

// Needs lists what heddle needs permissions for.
func (l Language) Needs(p discord.Permissions) string { return l.listed("need_", p) }

// listed lists the phrases that are named after some permissions, behind kind.
func (l Language) listed(kind ID, p discord.Permissions) string {
	var all []string
	for _, needed := range []struct {
		permission discord.Permissions
		name       ID
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
			all = append(all, l.Text(kind+needed.name, nil))
		}
	}
	return strings.Join(all, l.Text(permissionComma, nil))
}
