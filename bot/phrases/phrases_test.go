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
	sentences := []phrases.Phrase{phrases.Refusal(400)}
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

// TestNumbersAreWrittenAsPeopleDo covers locales with phrases of their own, those that share
// phrases but not how numbers are written, and those without phrases.
func TestNumbersAreWrittenAsPeopleDo(t *testing.T) {
	for locales, want := range map[string][3]string{
		"": {"1,234,567", "12,345", "0.032"}, "en-GB": {"1,234,567", "12,345", "0.032"}, "de": {"1.234.567", "12.345", "0,032"},
		"es-ES": {"1.234.567", "12.345", "0,032"}, "es-419": {"1,234,567", "12,345", "0.032"}, "ja": {"1,234,567", "12,345", "0.032"},
		"fr": {"1,234,567", "12,345", "0.032"}, "fr de": {"1.234.567", "12.345", "0,032"}, "no-such": {"1,234,567", "12,345", "0.032"},
	} {
		l := phrases.In(strings.Fields(locales)...)
		for i, got := range []string{
			l.Text(phrases.WhyModel, phrases.Values{"Model": "m", "Tokens": int64(1_234_567)}),
			l.Count(phrases.CatchUpMessages, 12_345, nil),
			l.Text(phrases.UsageCost, phrases.Values{"Cost": phrases.Cost{Amount: 0.032}}),
		} {
			if !strings.Contains(got, want[i]) {
				t.Errorf("in %q people read %q, want %q in it", locales, got, want[i])
			}
		}
	}
	for amount, want := range map[float64]string{
		0: "0.00", 0.5: "0.50", 0.125: "0.125", 0.0321: "0.0321", 0.000004: "0.000004", 1.25: "1.25", 1234.5678: "1,234.57",
	} {
		cost := phrases.Cost{Amount: amount, Currency: "USD"}
		if got := phrases.In().Text(phrases.UsageCost, phrases.Values{"Cost": cost}); got != ", cost "+want+" USD" {
			t.Errorf("the cost of %v reads %q, want %s USD", amount, got, want)
		}
	}
}

// TestNoticesAreLeftOut has heddle tell things beside the conversation in every language.
// None of it is left of what it said.
func TestNoticesAreLeftOut(t *testing.T) {
	const said = "The warp is what runs lengthwise.\n\n- it is strong"
	at := time.Unix(1_800_000_000, 0)
	for name, l := range everyLanguage(t) {
		notices := []string{
			l.NoticeReused(3 * time.Hour), l.NoticeFiles(-1, []string{"a.txt", "b.txt"}), l.NoticeFiles(2, []string{"a.txt"}),
			l.NoticeNoHistory(discord.PermissionReadHistory), l.Doing(tools.NameSearch), l.Doing(tools.Waiting),
			l.Text(phrases.NoticeStopped, nil), l.Text(phrases.Welcome, nil), l.Text(phrases.WelcomeMissing, phrases.Values{"Missing": "Send Messages"}),
			l.Text(phrases.LacksToAnswer, phrases.Values{"Where": "<#1>", "Missing": "Send Messages"}),
			l.Say(phrases.Until(phrases.OverPerson, at)), l.Say(phrases.Until(phrases.OverGuild, at)), l.Say(phrases.Refusal(413)),
			l.Say(phrases.Phrase{ID: phrases.Unreachable}.OrAsk("<@5>, or the weavers.")), l.Text(phrases.Paused, nil), "-# " + l.Text(phrases.ModelUnclear, nil),
		}
		for _, notice := range notices {
			for text, want := range map[string]string{
				notice: "", said + "\n" + notice: said, said + "\n\n" + notice + "\n" + notices[0]: said,
				notice + "\n\n" + said: notice + "\n\n" + said,
			} {
				if got := phrases.WithoutNotices(text); got != want {
					t.Errorf("%s: without notices %q is %q, want %q", name, text, got, want)
				}
			}
		}
	}
	for _, text := range []string{said, "", "\n", said + "\n", "-# a remark of the model's", "I am paused for now, said the loom.", strings.Repeat("weft\n", 500)} {
		if got := phrases.WithoutNotices(text); got != text {
			t.Errorf("%q, which holds no notice, becomes %q, want it unchanged", text, got)
		}
	}
}
