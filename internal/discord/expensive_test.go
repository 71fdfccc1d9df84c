package discord_test

import (
	"encoding/json"
	"testing"

	"heddle/internal/discord"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveMessage decodes messages with unusual contents or payloads.
func BenchmarkExpensiveMessage(b *testing.B) {
	expensive.Text(b, func(text string) {
		content := must(json.Marshal(text))(b)
		_, _ = discord.DecodeMessage([]byte(`{"id":"1","content":` + string(content) + `}`))
		_, _ = discord.DecodeMessage([]byte(text))
	})
}

// BenchmarkExpensiveInteraction decodes uses of commands with odd options, and presses of
// buttons with odd names.
func BenchmarkExpensiveInteraction(b *testing.B) {
	expensive.Text(b, func(text string) {
		typed := must(json.Marshal(text))(b)
		options := `[{"name":` + string(typed) + `,"type":3,"value":` + string(typed) + `,"focused":true}]`
		_, _ = discord.DecodeInteraction([]byte(`{"id":"1","type":2,"data":{"name":` + string(typed) + `,"options":` + options + `}}`))
		_, _ = discord.DecodeInteraction([]byte(`{"id":"1","type":3,"data":{"custom_id":` + string(typed) + `}}`))
		_, _ = discord.DecodeInteraction([]byte(text))
	})
}
