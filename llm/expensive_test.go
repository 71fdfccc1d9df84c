package llm_test

import (
	"testing"

	"heddle/graph/path"
	"heddle/internal/expensive"
	"heddle/llm"
)

// BenchmarkExpensiveRender renders text that resembles labels, typed, added, in a name
// and in a file.
func BenchmarkExpensiveRender(b *testing.B) {
	expensive.Text(b, func(text string) {
		llm.Render(path.Turn{Role: path.RoleUser, Speaker: text, Parts: []path.Part{
			path.Text(text), path.Note(text), path.File{Name: text, Type: text, Text: text},
		}})
	})
}
