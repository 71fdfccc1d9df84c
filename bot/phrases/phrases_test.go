package phrases_test

import (
	"fmt"
	"go/constant"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"

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
	if phrases.In().Doing("") != "" || phrases.IsDoing("") || phrases.IsDoing(phrases.English("notice_truncated")) {
		t.Error("IsDoing reports true for a line that is not of a tool")
	}
}

// TestNoticesAreSmallAndOthersAreSentences checks that notices below an answer are in
// small print and that phrases in place of an answer are sentences, in every language.
func TestNoticesAreSmallAndOthersAreSentences(t *testing.T) {
	ends := func(text string) bool { return strings.HasSuffix(text, ".") || strings.HasSuffix(text, "。") }
	for _, notice := range []phrases.ID{
		"notice_truncated", "notice_foreign", "notice_hidden", "notice_alone", "notice_unseen", "notice_left_out", "notice_summary", "notice_no_records", "notice_unsent",
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
		"unreachable", "model_busy", "model_failed", "model_stopped", "model_unclear", "model_misset",
		"model_quota", "too_long", "refused", "empty", "shutdown", "no_history", "discord_trouble",
		"tools_endless", "tool_failed", "file_too_large", "file_forbidden", "internal", "answers_gone",
		"answer_changing", "no_memory", "question_gone", "not_shown", "not_read",
		"opted_out", "opted_in", "forgotten", "wish_failed", "not_permitted", "question_not_read",
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
	words := phrases.Words("again_words")
	for _, want := range []string{"again", "nochmal", "otra vez", "もう一度"} {
		if !slices.Contains(words, want) {
			t.Errorf("the words are %q, want %q among them", words, want)
		}
	}
	for name, l := range everyLanguage(t) {
		first, _, _ := strings.Cut(l.Text("again_words", nil), ",")
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
			l.Text("why_model_tokens", phrases.Values{"Model": "m", "Tokens": int64(1_234_567)}),
			l.Count("catchup_messages", 12_345, nil),
			l.Text("usage_cost", phrases.Values{"Cost": phrases.Cost{Amount: 0.032}}),
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
		if got := phrases.In().Text("usage_cost", phrases.Values{"Cost": cost}); got != ", cost "+want+" USD" {
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
			l.Text("notice_stopped", nil), l.Text("welcome", nil), l.Text("welcome_missing", phrases.Values{"Missing": "Send Messages"}),
			l.Text("lacks_to_answer", phrases.Values{"Where": "<#1>", "Missing": "Send Messages"}),
			l.Say(phrases.Until("over_person", at)), l.Say(phrases.Until("over_guild", at)), l.Say(phrases.Refusal(413)),
			l.Say(phrases.Phrase{ID: "unreachable"}.OrAsk("<@5>, or the weavers.")), l.Text("paused", nil), "-# " + l.Text("model_unclear", nil),
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
	case id == string("command_why"):
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
				if n := utf8.RuneCountInString(text); n == 0 || n > limit(id) || strings.Contains(text, "{{") {
					t.Errorf("%s: %s has %d characters, want %d at most: %q", name, id, n, limit(id), text)
				}
				fmt.Fprintf(&b, "  %s  %s\n", name, strings.ReplaceAll(text, "\n", "\n      "))
			}
		}
	}
	golden.Check(t, filepath.Join("testdata", "phrases.txt"), b.String())
}

var name = regexp.MustCompile(`\b[\w-]+\b`)

// TestNoPhraseIsUnusedOrMissing compares the constants of type ID in the program with the
// phrases.
func TestNoPhraseIsUnusedOrMissing(t *testing.T) {
	used, texts := namesUsed(t), readLanguages(t)["en"]
	unused := maps.Clone(texts)
	for id, at := range constantIDs(t) {
		if _, ok := texts[id]; !ok && id != "" {
			t.Errorf("%s names the phrase %q, which no language has", at, id)
		}
		delete(unused, id)
	}
	for id := range unused {
		kind, of, _ := strings.Cut(id, "_")
		if slices.Contains([]string{"command", "option", "choice"}, kind) && used[strings.ReplaceAll(of, "_", "-")] ||
			slices.Contains([]string{"permission", "need"}, kind) && used[of] {
			continue // it is found by what it describes
		}
		t.Errorf("nothing uses the phrase %q, want every phrase used", id)
	}
}

// constantIDs returns where the program names phrases, by their keys.
func constantIDs(t *testing.T) map[string]token.Position {
	t.Helper()
	const needed = packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedFiles | packages.NeedName
	rooms := errtest.Must(packages.Load(&packages.Config{Mode: needed}, "heddle/bot/..."))(t)
	named := make(map[string]token.Position)
	for _, room := range rooms {
		for expression, of := range room.TypesInfo.Types {
			if of.Value != nil && of.Type.String() == "heddle/bot/phrases.ID" {
				named[constant.StringVal(of.Value)] = room.Fset.Position(expression.Pos())
			}
		}
	}
	return named
}

// namesUsed returns all words of the rooms' source except tests.
func namesUsed(t *testing.T) map[string]bool {
	t.Helper()
	used := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
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
