package path_test

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveCanonical hashes turns and arguments, valid and not.
func BenchmarkExpensiveCanonical(b *testing.B) {
	expensive.Text(b, func(text string) {
		_, _ = path.CanonicalJSON([]byte(text))
		path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.Text(text), path.ToolCall{Name: text, Arguments: text}}}.Hash()
	})
}

// BenchmarkExpensiveNames names people who choose names that are hard to tell apart.
func BenchmarkExpensiveNames(b *testing.B) {
	naming := path.NewNaming(strings.ToLower)
	expensive.Text(b, func(text string) {
		names := naming.Names()
		for at := 0; at+64 <= len(text); at += 64 { // a name of 64 bytes each, from another author
			names.Of(&graph.Message{Author: graph.UserID(at + 1), Name: text[at : at+64]})
		}
	})
}
