package path_test

import (
	"testing"

	"heddle/graph/path"
)

// BenchmarkShape shapes 200 turns, hashes included: some are left out by their
// confidence, and some do not fit.
func BenchmarkShape(b *testing.B) {
	confidences := []float64{0.2, 0.65, 0.9}
	messages, answers := pairs(100, 200, func(answer int) *float64 { return new(confidences[answer/2%3]) })
	g := conversation(asked(999), messages...)
	shape := path.Shape{Answers: answers, Retention: path.DefaultRetention(), Budget: 10_000, Count: characters}
	b.ReportAllocs()
	for b.Loop() {
		path.Build(g, shape)
	}
}
