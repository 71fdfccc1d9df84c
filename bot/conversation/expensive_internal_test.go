package conversation

import (
	"testing"

	"heddle/graph"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveAgain looks for the word that asks for another answer.
func BenchmarkExpensiveAgain(b *testing.B) {
	reply := []graph.Reference{{Kind: graph.ReferenceReply, Message: 1}}
	expensive.Text(b, func(text string) { AsksAgain(&graph.Message{Text: text, References: reply}) })
}
