package phrases_test

import (
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/tools"
)

func TestNoticeReusedSaysHowOldTheAnswerIs(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago",
		time.Hour: "1 hour ago", 47 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago",
	} {
		if got := phrases.NoticeReused(age); !strings.Contains(got, ", "+want+". Reply \"again\"") || !strings.HasPrefix(got, "-# ") {
			t.Errorf("an answer that is %s old has the notice %q, want %q in it", age, got, want)
		}
	}
}

func TestNoticeFilesCountsAlternativesFromOne(t *testing.T) {
	t.Parallel()
	for of, want := range map[int]string{-1: "-# Files of an earlier answer: a, b.", 0: "-# Files of answer 1: a, b.", 4: "-# Files of answer 5: a, b."} {
		if got := phrases.NoticeFiles(of, []string{"a", "b"}); got != want {
			t.Errorf("the files of alternative %d read %q, want %q", of, got, want)
		}
	}
}

func TestLinesLeavesOutEmptyOnes(t *testing.T) {
	t.Parallel()
	if got := phrases.Lines("", "a", "", "b"); got != "a\nb" {
		t.Errorf("the lines are %q", got)
	}
	if got := phrases.Lines("", ""); got != "" {
		t.Errorf("no lines are %q", got)
	}
}

func TestEveryToolHasALineThatIsRecognised(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, tool := range []string{tools.NameArtifact, tools.NameSearch, tools.NameSubagent, tools.Waiting, "a tool to come"} {
		line := phrases.Doing(tool)
		if !phrases.IsDoing(line) || seen[line] {
			t.Errorf("while %q works people see %q", tool, line)
		}
		seen[line] = true
	}
	if phrases.Doing("") != "" || phrases.IsDoing("") || phrases.IsDoing(phrases.NoticeTruncated) {
		t.Error("what is no line of a tool at work is taken for one")
	}
}

func TestTheModelIsToldHowManyMessagesAreMissing(t *testing.T) {
	t.Parallel()
	if got := phrases.ModelLeftOut(1); !strings.HasPrefix(got, "1 older message of ") {
		t.Errorf("one message left out reads %q", got)
	}
	if got := phrases.ModelLeftOut(3); !strings.HasPrefix(got, "3 older messages of ") {
		t.Errorf("three messages left out read %q", got)
	}
}

// TestNoticesAreSmallAndOthersAreSentences shows what distinguishes what stands below
// an answer from what stands in its place.
func TestNoticesAreSmallAndOthersAreSentences(t *testing.T) {
	t.Parallel()
	for _, notice := range []string{
		phrases.NoticeTruncated, phrases.NoticeNoHistory, phrases.NoticeUnseen, phrases.NoticeLeftOut, phrases.NoticeSummary,
	} {
		if !strings.HasPrefix(notice, "-# ") || !strings.HasSuffix(notice, ".") || strings.Contains(notice, "\n") {
			t.Errorf("a notice reads %q", notice)
		}
	}
	for _, sentence := range []string{
		phrases.Unreachable, phrases.ModelBusy, phrases.ModelFailed, phrases.ModelStopped, phrases.ModelMisset, phrases.ModelQuota,
		phrases.TooLong, phrases.Refused, phrases.Empty, phrases.Shutdown, phrases.NoHistory, phrases.DiscordTrouble,
		phrases.ToolsEndless, phrases.ToolFailed, phrases.FileTooLarge, phrases.FileForbidden, phrases.FileRefused(400, 0), phrases.FileRefused(400, 50035), phrases.Internal, phrases.AnswersGone, phrases.AnswerChanging,
		phrases.NoMemory, phrases.QuestionGone, phrases.ManyWaiting, phrases.NotShown,
		phrases.NotRead, phrases.OptedOut, phrases.OptedIn, phrases.Forgotten, phrases.WishFailed, phrases.NotPermitted, phrases.QuestionNotRead,
	} {
		if strings.HasPrefix(sentence, "-#") || !strings.HasSuffix(sentence, ".") || strings.ContainsAny(sentence, "\n@<") {
			t.Errorf("a sentence reads %q", sentence)
		}
	}
}
