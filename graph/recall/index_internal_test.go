package recall

import (
	"fmt"
	"testing"

	"heddle/graph"
)

// TestAnIndexKeepsNothingOfWhatWasRemoved removes every message.
func TestAnIndexKeepsNothingOfWhatWasRemoved(t *testing.T) {
	index, messages := NewIndex(), make([]graph.Message, 50)
	for i := range messages {
		messages[i] = graph.Message{ID: graph.MessageID(i + 1), Name: "Ann", Text: fmt.Sprint("the kiln", i, " is a_b.c ", i%7)}
		index.Add(&messages[i])
	}
	words := WordsOf(&graph.Message{Text: "kiln13"})
	if found := index.Find(words, 1000, 0); len(found) == 0 || found[0].Anchor != 14 {
		t.Fatalf("%v is found, want some and Anchor 14 of the first", found)
	}
	for i := range messages {
		index.Remove(&messages[i])
	}
	if len(index.words) != 0 || len(index.places) != 0 || len(index.Find(words, 1000, 0)) != 0 {
		t.Errorf("%d words are kept of what was removed, want nothing kept and nothing found", len(index.words))
	}
	cells := len(index.cells)
	for i := range messages {
		index.Add(&messages[i])
	}
	if len(index.cells) != cells {
		t.Errorf("the index has %d cells, want the %d that it had before", len(index.cells), cells)
	}
}
