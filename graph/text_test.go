package graph_test

import (
	"testing"
	"unicode/utf8"

	"heddle/graph"
)

// TestALineHasNoMoreCharactersThanItMay cuts a text at every place, also before and behind
// a space.
func TestALineHasNoMoreCharactersThanItMay(t *testing.T) {
	for size := 1; size < 12; size++ {
		got := graph.OneLine("ab c  de\nf", size)
		if length := utf8.RuneCountInString(got); length > size {
			t.Errorf("%q has %d characters, want at most %d", got, length, size)
		}
	}
}
