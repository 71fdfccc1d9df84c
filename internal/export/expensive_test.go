package export_test

import (
	"strings"
	"testing"

	"heddle/internal/expensive"
	"heddle/internal/export"
)

// each takes no message.
func ignored(export.Message) error { return nil }

// BenchmarkExpensiveExport reads exports that are none, and messages that are odd.
func BenchmarkExpensiveExport(b *testing.B) {
	expensive.Text(b, func(text string) {
		_, _ = export.Read(strings.NewReader(text), "x.json", ignored)
		_, _ = export.Read(strings.NewReader(`{"messages":[`+text), "x.json", ignored)
	})
}

// FuzzExportsAreReadOrRefused demands that whatever a file holds ends in a message or an
// error.
func FuzzExportsAreReadOrRefused(f *testing.F) {
	f.Add(`{"guild":{"id":"1"},"channel":{"id":"2"},"messages":[{"id":"3","content":"hi","author":{"id":"4","name":"ann"}}]}`)
	f.Add(`{"messages":[null,{},7]}`)
	f.Add("{\"id\":\"3\"}\n{\"id\":")
	f.Fuzz(func(t *testing.T, file string) {
		_, err := export.Read(strings.NewReader(file), "x.json", ignored)
		if err != nil && err.Error() == "" {
			t.Fatal("an error says nothing")
		}
	})
}
