package phrases

import (
	"testing"
	"testing/fstest"

	"golang.org/x/text/language"

	"heddle/internal/errtest"
)

// TestALanguageMayBeginWithOnePhrase reads a language that has a single phrase. Everything
// else is in English, its plurals and numbers included (finding 6.14).
func TestALanguageMayBeginWithOnePhrase(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	all := errtest.Must(readTranslations(fstest.MapFS{
		"languages/da.json": file(`{"read": "{{.Count}} læst"}`),
		"languages/en.json": file(`{"read": "{{.Count}} read", "left": {"one": "{{.Count}} left", "other": "{{.Count}} are left"}}`),
		"languages/pl.json": file(`{"read": {"one": "{{.Count}} raz", "few": "{{.Count}} razy", "many": "{{.Count}} razów", "other": "{{.Count}} razu"}}`),
	}))(t)
	for _, test := range []struct {
		locale string
		id     ID
		n      int
		want   string
	}{
		{"da", "read", 1234, "1.234 læst"},
		{"da", "left", 1234, "1,234 are left"},
		{"da", "left", 1, "1 left"},
		{"da", "unknown", 1, "unknown"},
		{"pl", "read", 3, "3 razy"},
		{"pl", "read", 5, "5 razów"},
		{"fr", "read", 1234, "1,234 read"},
	} {
		if got := all.in(test.locale).Count(test.id, test.n, nil); got != test.want {
			t.Errorf("in %s %d of %s read %q, want %q", test.locale, test.n, test.id, got, test.want)
		}
	}
	if tag := all.in("fr").tag; tag != language.English {
		t.Errorf("a language without phrases is %v, want English", tag)
	}
}
