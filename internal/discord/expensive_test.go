package discord_test

import (
	"encoding/json"
	"strings"
	"testing"

	"heddle/internal/discord"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveProse removes code from text with backticks that are never closed.
func BenchmarkExpensiveProse(b *testing.B) {
	expensive.Text(b, func(text string) { discord.Prose(text) })
}

// BenchmarkExpensiveUnmarked reads marks that are never closed and marks within marks.
func BenchmarkExpensiveUnmarked(b *testing.B) {
	expensive.Text(b, func(text string) { discord.Unmarked(text) })
}

// BenchmarkExpensiveMessage decodes messages with unusual contents or payloads.
func BenchmarkExpensiveMessage(b *testing.B) {
	expensive.Text(b, func(text string) {
		content, err := json.Marshal(text)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = discord.DecodeMessage([]byte(`{"id":"1","content":` + string(content) + `}`))
		_, _ = discord.DecodeMessage([]byte(text))
	})
}

// BenchmarkExpensiveInteraction decodes uses of commands with odd options, and presses of
// buttons with odd names.
func BenchmarkExpensiveInteraction(b *testing.B) {
	expensive.Text(b, func(text string) {
		typed, err := json.Marshal(text)
		if err != nil {
			b.Fatal(err)
		}
		options := `[{"name":` + string(typed) + `,"type":3,"value":` + string(typed) + `,"focused":true}]`
		_, _ = discord.DecodeInteraction([]byte(`{"id":"1","type":2,"data":{"name":` + string(typed) + `,"options":` + options + `}}`))
		_, _ = discord.DecodeInteraction([]byte(`{"id":"1","type":3,"data":{"custom_id":` + string(typed) + `}}`))
		_, _ = discord.DecodeInteraction([]byte(text))
	})
}

func FuzzProseIsNoLongerThanTheContent(f *testing.F) {
	for _, content := range []string{"`<@1>`", "```\n<@1>\n``` `", "\\`<@1>\\`", "`` ` ``` x", "\\\\`<@1>`", "```", "`\xc4 \xa2"} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content string) {
		prose := discord.Prose(content)
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
