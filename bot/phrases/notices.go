package phrases

import (
	"regexp"
	"strings"
	"sync"
)

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
		Shutdown, NoHistory, DiscordTrouble, ToolsEndless, ToolFailed, FileTooLarge, FileForbidden, FileRefused, FileRefusedCode,
		Internal, OverAnswer, OverPerson, OverChannel, OverGuild, OverAll, Paused, ConversationGone, ManyWaiting, NoMemory, CommandFailed,
		NotRead, OptedOut, OptedIn, Forgotten, NotPermitted, WishFailed, QuestionNotRead, LacksToAnswer, Welcome, WelcomeMissing,
		NoticeStopped, NoticeCut, NoticeTruncated, NoticeForeign, NoticeHidden, NoticeAlone, NoticeUnseen, NoticeLeftOut, NoticeSummary,
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
	for _, name := range []string{"When", "Where", "Missing", "Status", "Code", "Ago", "Number", "Names"} {
		values[name] = anyValue
	}
	return values
}

// pattern returns what matches a text with anything in place of anyValue.
func pattern(text string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(text), anyValue, ".+")
}
