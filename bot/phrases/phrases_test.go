package phrases_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/internal/discord"
)

func TestNoticeReusedSaysHowOldTheAnswerIs(t *testing.T) {
	for age, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago",
		time.Hour: "1 hour ago", 47 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago",
	} {
		if got := phrases.In().NoticeReused(age); !strings.Contains(got, ", "+want+". Reply \"again\"") || !strings.HasPrefix(got, "-# ") {
			t.Errorf("an answer that is %s old has the notice %q, want %q in it", age, got, want)
		}
	}
}

func TestEveryToolHasALineThatIsRecognised(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range []string{tools.NameArtifact, tools.NameSearch, tools.NameSubagent, tools.Waiting, "a tool to come"} {
		for name, l := range everyLanguage(t) {
			line := l.Doing(tool)
			if !phrases.IsDoing(line) || seen[line] {
				t.Errorf("%s: while %q works people see %q, want a line of its own that says what is being done", name, tool, line)
			}
			seen[line] = true
		}
	}
	if phrases.In().Doing("") != "" || phrases.IsDoing("") || phrases.IsDoing(phrases.English(phrases.NoticeTruncated)) {
		t.Error("IsDoing reports true for a line that is not of a tool")
	}
}

// TestNoticesAreSmallAndOthersAreSentences checks that notices below an answer are in
// small print and that phrases in place of an answer are sentences, in every language.
func TestNoticesAreSmallAndOthersAreSentences(t *testing.T) {
	ends := func(text string) bool { return strings.HasSuffix(text, ".") || strings.HasSuffix(text, "。") }
	for _, notice := range []phrases.ID{
		phrases.NoticeTruncated, phrases.NoticeForeign, phrases.NoticeHidden, phrases.NoticeAlone, phrases.NoticeUnseen, phrases.NoticeLeftOut, phrases.NoticeSummary,
	} {
		for name, l := range everyLanguage(t) {
			if text := l.Text(notice, nil); !strings.HasPrefix(text, "-# ") || !ends(text) || strings.Contains(text, "\n") {
				t.Errorf("%s: a notice reads %q, want one line of small text that ends a sentence", name, text)
			}
		}
	}
	for name, l := range everyLanguage(t) {
		if text := l.NoticeNoHistory(discord.PermissionReadHistory); !strings.HasPrefix(text, "-# ") || !ends(text) || strings.Contains(text, "\n") {
			t.Errorf("%s: a notice reads %q, want one line of small text that ends a sentence", name, text)
		}
	}
	sentences := []phrases.Phrase{phrases.Refusal(400, 0), phrases.Refusal(400, 50035)}
	for _, id := range []phrases.ID{
		phrases.Unreachable, phrases.ModelBusy, phrases.ModelFailed, phrases.ModelStopped, phrases.ModelUnclear, phrases.ModelMisset,
		phrases.ModelQuota, phrases.TooLong, phrases.Refused, phrases.Empty, phrases.Shutdown, phrases.NoHistory, phrases.DiscordTrouble,
		phrases.ToolsEndless, phrases.ToolFailed, phrases.FileTooLarge, phrases.FileForbidden, phrases.Internal, phrases.AnswersGone,
		phrases.AnswerChanging, phrases.NoMemory, phrases.QuestionGone, phrases.NotShown, phrases.NotRead,
		phrases.OptedOut, phrases.OptedIn, phrases.Forgotten, phrases.WishFailed, phrases.NotPermitted, phrases.QuestionNotRead,
	} {
		sentences = append(sentences, phrases.Phrase{ID: id})
	}
	for _, sentence := range sentences {
		for name, l := range everyLanguage(t) {
			if text := l.Say(sentence); strings.HasPrefix(text, "-#") || !ends(text) || strings.ContainsAny(text, "\n@<") {
				t.Errorf("%s: a sentence reads %q, want one line without mentions that ends", name, text)
			}
		}
	}
}

// TestAgainIsSaidInEveryLanguage checks that each language has words that ask for
// another answer, and that its notice names the first of them.
func TestAgainIsSaidInEveryLanguage(t *testing.T) {
	words := phrases.Words(phrases.AgainWords)
	for _, want := range []string{"again", "nochmal", "otra vez", "もう一度"} {
		if !slices.Contains(words, want) {
			t.Errorf("the words are %q, want %q among them", words, want)
		}
	}
	for name, l := range everyLanguage(t) {
		first, _, _ := strings.Cut(l.Text(phrases.AgainWords, nil), ",")
		if notice := l.NoticeReused(0); !strings.Contains(notice, first) {
			t.Errorf("%s: the notice is %q, want %q in it", name, notice, first)
		}
	}
}
