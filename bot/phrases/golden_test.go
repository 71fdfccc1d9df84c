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
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/internal/errtest"
	"heddle/internal/golden"
)

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
		if slices.Contains([]string{"command", "option", "choice"}, kind) && used[strings.ReplaceAll(of, "_", "-")] {
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
	if err != nil {
		t.Fatal(err)
	}
	return used
}
