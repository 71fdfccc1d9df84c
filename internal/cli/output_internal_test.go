package cli

import (
	"strings"
	"testing"
)

func TestLongMessagesAreBrokenBetweenWords(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("words ", 30))
	for name, text := range map[string]string{
		"short":                 "heddle: there is no file x",
		"spaces in short lines": "heddle: a\n  b  c",
		"one long line":         "heddle: " + long,
		"long lines below":      "heddle: 2 settings are wrong:\n  " + long + "\n  " + long,
		"a word that is longer": "heddle: " + strings.Repeat("x", 120) + " is no name",
		"wide letters":          "heddle: " + strings.Repeat("änderung ", 20),
	} {
		got := wrapped(text)
		if words := strings.Join(strings.Fields(got), " "); words != strings.Join(strings.Fields(text), " ") {
			t.Errorf("%s: the words are %q, want %q", name, words, strings.Join(strings.Fields(text), " "))
		}
		for line := range strings.SplitSeq(got, "\n") {
			if n := len([]rune(line)); n > 80 && strings.ContainsRune(strings.TrimSpace(line), ' ') {
				t.Errorf("%s: %q has %d columns, want at most 80", name, line, n)
			}
		}
		if strings.HasPrefix(name, "s") && got != text {
			t.Errorf("%s: %q became %q, want it unchanged", name, text, got)
		}
	}
	if got, want := wrapped("  "+long), "\n    words"; !strings.HasPrefix(got, "  words") || !strings.Contains(got, want) {
		t.Errorf("a line within a list became %q, want %q at its start and %q in it", got, "  words", want)
	}
}
