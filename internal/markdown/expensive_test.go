package markdown_test

import (
	"strings"
	"testing"

	"heddle/internal/expensive"
	"heddle/internal/markdown"
)

// BenchmarkExpensiveProse removes code from text with backticks that are never closed.
func BenchmarkExpensiveProse(b *testing.B) {
	expensive.Text(b, func(text string) { markdown.Prose(text) })
}

// BenchmarkExpensiveUnmarked reads marks that are never closed and marks within marks.
func BenchmarkExpensiveUnmarked(b *testing.B) {
	expensive.Text(b, func(text string) { markdown.Unmarked(text) })
}

func FuzzProseIsNoLongerThanTheContent(f *testing.F) {
	for _, content := range []string{"`<@1>`", "```\n<@1>\n``` `", "\\`<@1>\\`", "`` ` ``` x", "\\\\`<@1>`", "```", "`\xc4 \xa2"} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content string) {
		prose := markdown.Prose(content)
		if len(prose) > len(content) {
			t.Fatalf("the prose is %q, want it no longer than the content %q", prose, content)
		}
		if !strings.ContainsAny(content, "`\\") && prose != content {
			t.Fatalf("%q has neither code nor escapes and reads %q, want it unchanged", content, prose)
		}
		rest := content // what is left stands in the content, in this order
		for _, b := range []byte(strings.ReplaceAll(prose, " ", "")) {
			at := strings.IndexByte(rest, b)
			if at < 0 {
				t.Fatalf("the prose is %q, want only letters of %q in their order", prose, content)
			}
			rest = rest[at+1:]
		}
	})
}
