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
		recall.Find([]graph.Message{{ID: 1, Author: 1, Text: text[:half]}, {ID: 2, Author: 2, Text: "weft"}}, recall.Query{
			Trigger: &graph.Message{ID: 3, Author: 1, Text: text[half:]}, Most: 8,
			Skip:  func(*graph.Message) bool { return false },
			Least: func([]graph.Message) float64 { return 0 },
		})
	})
}
