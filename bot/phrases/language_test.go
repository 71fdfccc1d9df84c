package phrases_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/internal/errtest"
)

// readLanguages returns the texts of all languages by their ids.
func readLanguages(t *testing.T) map[string]map[string]any {
	t.Helper()
	names, err := filepath.Glob("languages/*.json")
	if err != nil || len(names) < 4 {
		t.Fatalf("the languages are %v, %v, want at least 4 of them and no error", names, err)
	}
	all := map[string]map[string]any{}
	for _, name := range names {
		text := errtest.Must(os.ReadFile(name))(t)
		var texts map[string]any
		if err := json.Unmarshal(text, &texts); err != nil {
			t.Fatalf("%s cannot be read: %v", name, err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".json")] = texts
	}
	return all
}

// everyLanguage returns the languages by the names of their files.
func everyLanguage(t *testing.T) map[string]phrases.Language {
	t.Helper()
	all := make(map[string]phrases.Language)
	for name := range readLanguages(t) {
		all[name] = phrases.In(name)
	}
	return all
}

var placeholder = regexp.MustCompile(`\{\{[^}]*\}\}`)

// forms returns the texts of a phrase: one, or one for each plural.
func forms(value any) []string {
	if text, ok := value.(string); ok {
		return []string{text}
	}
	var all []string
	for _, text := range value.(map[string]any) {
		all = append(all, text.(string))
	}
	return all
}

// TestLanguagesHaveTheSamePhrases compares each language with English: ids, placeholders,
// and how many lines people read. A language that is not listed here is still growing, and
// may lack phrases.
func TestLanguagesHaveTheSamePhrases(t *testing.T) {
	all := readLanguages(t)
	for name, texts := range all {
		if slices.Contains([]string{"de", "es", "ja"}, name) && len(texts) < len(all["en"]) {
			t.Errorf("%s has %d phrases, want all %d of English", name, len(texts), len(all["en"]))
		}
		for id, value := range texts {
			if all["en"][id] == nil {
				t.Errorf("%s has the phrase %s, which English lacks", name, id)
				continue
			}
			english := forms(all["en"][id])[0]
			for _, text := range forms(value) {
				got, want := placeholder.FindAllString(text, -1), placeholder.FindAllString(english, -1)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) || strings.Count(text, "\n") != strings.Count(english, "\n") {
					t.Errorf("%s: the placeholders or lines of %s are other ones: %q, want those of the English %q", name, id, text, english)
				}
			}
		}
	}
}

// TestLanguagesAreSorted checks that the keys of each file are sorted, so that a phrase
// stands at the same place in all files.
func TestLanguagesAreSorted(t *testing.T) {
	key := regexp.MustCompile(`(?m)^  "(\w+)":`)
	for name, texts := range readLanguages(t) {
		text := errtest.Must(os.ReadFile(filepath.Join("languages", name+".json")))(t)
		var keys []string
		for _, found := range key.FindAllStringSubmatch(string(text), -1) {
			keys = append(keys, found[1])
		}
		for i, want := range slices.Sorted(maps.Keys(texts)) {
			if len(keys) != len(texts) || keys[i] != want {
				t.Errorf("%s: of %d keys, number %d is %s, want %s of %d: each once, sorted", name, len(keys), i, keys[min(i, len(keys)-1)], want, len(texts))
				break
			}
		}
	}
}

func TestTheFirstKnownLanguageIsSpoken(t *testing.T) {
	for _, c := range []struct {
		locales []string
		want    string
	}{
		{nil, "2 days"},
		{[]string{"en-GB"}, "2 days"},
		{[]string{"de"}, "2 Tage"},
		{[]string{"es-419"}, "2 días"},
		{[]string{"fi", "ja"}, "2日間"},
		{[]string{"", "de"}, "2 Tage"},
		{[]string{"no such locale"}, "2 days"},
	} {
		if got := phrases.In(c.locales...).Count("days", 2, nil); got != c.want {
			t.Errorf("%q reads %q, want %q", c.locales, got, c.want)
		}
	}
	if got := fmt.Sprint(phrases.In("en").Count("days", 1, nil), ", ", phrases.In("de").Count("days", 1, nil)); got != "1 day, 1 Tag" {
		t.Errorf("one day reads %s, want %q", got, "1 day, 1 Tag")
	}
}
