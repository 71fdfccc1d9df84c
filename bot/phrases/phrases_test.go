package phrases_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/internal/golden"
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

// samples returns a value for each placeholder, as long as such values get.
func samples() phrases.Values {
	return phrases.Values{
		"Cached": 1200, "Cost": phrases.Cost{Amount: 1234.5678, Currency: "USD"}, "Read": 16000, "Requests": 123456, "Reused": 12, "Servers": 3, "Unit": "answers", "Used": 2, "Version": "v1.2.3", "Whose": "this channel", "Written": 800,
		"Ago": "59 minutes ago", "Before": 12, "Code": "50035", "Count": 12, "Contact": strings.Repeat("c", 200), "Days": "3650 days", "From": "[maximiliane-the-third](https://discord.com/channels/80351110224678912/80351110224678913/80351110224678914)",
		"Gap": "59 minutes", "Missing": "Read Message History, Send Messages in Threads, Create Public Threads, Attach Files", "Model": "accounts/fireworks/models/llama-v3p1-405b-instruct", "Models": strings.Repeat("model-name, ", 20), "Most": 1000, "Newest": 100, "Pause": "by the channel's own pace", "Persona": strings.Repeat("p", 1000), "Sign": "+", "Names": "figure.svg, table.csv", "Tool": "docs_look_up", "In": phrases.Cost{Amount: 0.4, Currency: "USD"}, "Out": phrases.Cost{Amount: 1.6, Currency: "USD"}, "What": "gpt-4.1-mini", "Needs": "to answer", "Link": "https://example.com/invite", "Number": 12,
		"Provider": "generativelanguage.googleapis.com", "Providers": "api.openai.com (model gpt-4.1-mini), generativelanguage.googleapis.com (model gemini-2.5-flash)", "Status": "400", "Sure": "probablemente", "Stops": "a pause of 59 minutes, other talks", "Tokens": 16000, "Trouble": "Something went wrong on my side.",
		"Messages": "412 messages", "Open": strings.Repeat("o", 120), "Thread": "<#80351110224678912>", "When": "<t:1700000000:R>", "Where": "<#80351110224678913>",
	}
}

// said returns the texts of a phrase in a language: one, or one for each plural form.
func said(l phrases.Language, id string, value any) []string {
	if _, plural := value.(map[string]any); !plural {
		return []string{l.Text(phrases.ID(id), samples())}
	}
	return []string{l.Count(phrases.ID(id), 1, samples()), l.Count(phrases.ID(id), 12, samples())}
}

// limit returns the most characters that a phrase may have. Discord limits the
// description of a command, its name in a menu, the label of a button, the texts of a
// form, and messages, in which there must be room for more than the phrase.
func limit(id string) int {
	switch {
	case id == string(phrases.CommandWhy):
		return 32
	case strings.HasPrefix(id, "command_"), strings.HasPrefix(id, "option_"), strings.HasPrefix(id, "choice_"):
		return 100
	case strings.HasPrefix(id, "form_"):
		return 45
	case strings.HasPrefix(id, "label_"):
		return 80
	default:
		return 1500
	}
}

// TestEverythingSaidIsReviewed compares all phrases, in every language, with a file
// that a person can review.
func TestEverythingSaidIsReviewed(t *testing.T) {
	texts, speaking := readLanguages(t), everyLanguage(t)
	var b strings.Builder
	b.WriteString("What heddle says on Discord, with samples for what it fills in. \"go test ./bot/phrases -update\" writes this file.\n")
	for _, id := range slices.Sorted(maps.Keys(texts["en"])) {
		fmt.Fprintf(&b, "\n%s\n", id)
		for _, name := range slices.Sorted(maps.Keys(speaking)) {
			for _, text := range said(speaking[name], id, texts["en"][id]) {
				if n := utf8.RuneCountInString(text); n == 0 || n > limit(id) || strings.Contains(text, "<no value>") {
					t.Errorf("%s: %s has %d characters, want %d at most: %q", name, id, n, limit(id), text)
				}
				fmt.Fprintf(&b, "  %s  %s\n", name, strings.ReplaceAll(text, "\n", "\n      "))
			}
		}
	}
	golden.Check(t, filepath.Join("testdata", "phrases.txt"), b.String())
}

var (
	declared = regexp.MustCompile(`(\w+)\s+ID = "(\w+)"`)
	name     = regexp.MustCompile(`\b[\w-]+\b`)
)

// TestNoPhraseIsUnusedOrMissing compares the IDs in ids.go with the phrases, and looks
// for a use of each ID in the program.
func TestNoPhraseIsUnusedOrMissing(t *testing.T) {
	ids := errtest.Must(os.ReadFile("ids.go"))(t)
	used, texts := namesUsed(t), readLanguages(t)["en"]
	for _, found := range declared.FindAllStringSubmatch(string(ids), -1) {
		name, id := found[1], found[2]
		if _, ok := texts[id]; !ok {
			t.Errorf("%s names the phrase %q, which no language has", name, id)
		}
		if !strings.EqualFold(name, strings.ReplaceAll(id, "_", "")) {
			t.Errorf("%s is named after another phrase than %q, want the same words", name, id)
		}
		if !used[name] {
			t.Errorf("nothing uses the phrase %s, want every phrase used", name)
		}
		delete(texts, id)
	}
	for id := range texts {
		kind, of, _ := strings.Cut(id, "_")
		if slices.Contains([]string{"command", "option", "choice"}, kind) && used[strings.ReplaceAll(of, "_", "-")] ||
			slices.Contains([]string{"permission", "need"}, kind) && used[of] {
			continue // it is found by what it describes
		}
		t.Errorf("the phrase %q has no name in ids.go, want one", id)
	}
}

// namesUsed returns all words of the rooms' source except ids.go and tests.
func namesUsed(t *testing.T) map[string]bool {
	t.Helper()
	used := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || entry.Name() == "ids.go" {
			return err
		}
		source, err := os.ReadFile(path)
		for _, word := range name.FindAllString(string(source), -1) {
			used[word] = true
		}
		return err
	})
	errtest.None(t, err)
	return used
}
