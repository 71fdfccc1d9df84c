package store

import (
	"testing"

	"heddle/internal/expensive"
)

// BenchmarkExpensiveCode finds code blocks in answers that are full of fences, and reads
// records that are none.
func BenchmarkExpensiveCode(b *testing.B) {
	expensive.Text(b, func(text string) {
		codeBlocks(text)
		_, _ = decodeRecord(Key{"g1", "r"}, []byte(text))
	})
}
