package lookalike_test

import (
	"testing"

	"heddle/internal/expensive"
	"heddle/internal/lookalike"
)

// BenchmarkExpensiveFold folds names that no server would take.
func BenchmarkExpensiveFold(b *testing.B) {
	expensive.Text(b, func(text string) { lookalike.Fold(text) })
}
