package export_test

import (
	"strings"
	"testing"

	"heddle/internal/expensive"
	"heddle/internal/export"
)

// BenchmarkExpensiveExport reads files that are not exports, and exports with unusual
// messages.
func BenchmarkExpensiveExport(b *testing.B) {
	expensive.Text(b, func(text string) {
		_, _ = export.Load(strings.NewReader(text), "x.json", 0, 0)
		_, _ = export.Load(strings.NewReader(`{"messages":[`+text), "x.json", 0, 0)
	})
}

// FuzzExportsAreReadOrRefused checks that reading any file ends in messages or in an
// error with a text.
func FuzzExportsAreReadOrRefused(f *testing.F) {
	f.Add(`{"guild":{"id":"1"},"channel":{"id":"2"},"messages":[{"id":"3","content":"hi","author":{"id":"4","name":"ann"}}]}`)
	f.Add(`{"messages":[null,{},7]}`)
	f.Add("{\"id\":\"3\"}\n{\"id\":")
	f.Fuzz(func(t *testing.T, file string) {
		_, err := export.Load(strings.NewReader(file), "x.json", 0, 0)
		if err != nil && err.Error() == "" {
			t.Fatal("an error says nothing")
		}
	})
}
