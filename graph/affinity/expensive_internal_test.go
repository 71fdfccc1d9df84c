package affinity

import (
	"testing"

	"heddle/graph"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveWords finds the words and grams of text that is not language.
func BenchmarkExpensiveWords(b *testing.B) {
	expensive.Text(b, func(text string) { analyze(&graph.Message{Text: text}) })
}
