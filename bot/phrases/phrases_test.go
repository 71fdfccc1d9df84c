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
	t.Parallel()
	for age, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago",
		time.Hour: "1 hour ago", 47 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago",
	} {
		if got := phrases.In().NoticeReused(age); !strings.Contains(got, ", "+want+". Reply \"again\"") || !strings.HasPrefix(got, "-# ") {
			t.Errorf("an answer that is %s old has the notice %q, want %q in it", age, got, want)
		}
	}
}

func TestNoticeFilesCountsAlternativesFromOne(t *testing.T) {
	t.Parallel()
	for of, want := range map[int]string{-1: "-# Files of an earlier answer: a, b.", 0: "-# Files of answer 1: a, b.", 4: "-# Files of answer 5: a, b."} {
		if got := phrases.In().NoticeFiles(of, []string{"a", "b"}); got != want {
			t.Errorf("the files of alternative %d read %q, want %q", of, got, want)
		}
	}
}

func TestLinesLeavesOutEmptyOnes(t *testing.T) {
	t.Parallel()
	if got := phrases.Lines("", "a", "", "b"); got != "a\nb" {
		t.Errorf("the lines are %q, want %q", got, "a\nb")
	}
	if got := phrases.Lines("", ""); got != "" {
		t.Errorf("no lines are %q, want none", got)
	}
}

func TestEveryToolHasALineThatIsRecognised(t *testing.T) {
	t.Parallel()
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

func TestTheModelIsToldHowManyMessagesAreMissing(t *testing.T) {
	t.Parallel()
	if got := phrases.ModelLeftOut(1); !strings.HasPrefix(got, "1 older message of ") {
		t.Errorf("one message left out reads %q, want %q at its start", got, "1 older message of ")
	}
	if got := phrases.ModelLeftOut(3); !strings.HasPrefix(got, "3 older messages of ") {
		t.Errorf("three messages left out read %q, want %q at its start", got, "3 older messages of ")
	}
}

// TestNoticesAreSmallAndOthersAreSentences checks that notices below an answer are in
// small print and that phrases in place of an answer are sentences, in every language.
func TestNoticesAreSmallAndOthersAreSentences(t *testing.T) {
	t.Parallel()
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
	for _, sentence := range []phrases.Phrase{
		{ID: phrases.Unreachable},
		{ID: phrases.ModelBusy},
		{ID: phrases.ModelFailed},
		{ID: phrases.ModelStopped},
		{ID: phrases.ModelUnclear},
		{ID: phrases.ModelMisset},
		{ID: phrases.ModelQuota},
		{ID: phrases.TooLong},
		{ID: phrases.Refused},
		{ID: phrases.Empty},
		{ID: phrases.Shutdown},
		{ID: phrases.NoHistory},
		{ID: phrases.DiscordTrouble},
		{ID: phrases.ToolsEndless},
		{ID: phrases.ToolFailed},
		{ID: phrases.FileTooLarge},
		{ID: phrases.FileForbidden},
		phrases.Refusal(400, 0), phrases.Refusal(400, 50035),
		{ID: phrases.Internal},
		{ID: phrases.AnswersGone},
		{ID: phrases.AnswerChanging},
		{ID: phrases.NoMemory},
		{ID: phrases.QuestionGone},
		{ID: phrases.ManyWaiting},
		{ID: phrases.NotShown},
		{ID: phrases.NotRead},
		{ID: phrases.OptedOut},
		{ID: phrases.OptedIn},
		{ID: phrases.Forgotten},
		{ID: phrases.WishFailed},
		{ID: phrases.NotPermitted},
		{ID: phrases.QuestionNotRead},
	} {
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
	t.Parallel()
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
