package recall_test

import (
	"testing"

	"heddle/graph"
	"heddle/graph/recall"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveRecall compares a question with messages that are not language.
func BenchmarkExpensiveRecall(b *testing.B) {
	expensive.Text(b, func(text string) {
		half := len(text) / 2
		s := recall.NewSearch(recall.WordsOf(&graph.Message{ID: 3, Author: 1, Text: text[half:]}))
		s.Add(&graph.Message{ID: 1, Author: 1, Text: text[:half]})
		s.Find(0)
	})
}
