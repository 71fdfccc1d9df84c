package fetch_test

import (
	"testing"

	"heddle/fetch"
	"heddle/internal/discord"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveMarkup renders messages of a server without Discord's limits.
func BenchmarkExpensiveMarkup(b *testing.B) {
	expensive.Text(b, func(text string) {
		fetch.Render(discord.Message{
			ID: 1, Content: text, Mentions: []discord.User{{ID: 1, Name: text}},
			Embeds:      []discord.Embed{{Title: text, Description: text, Fields: []discord.EmbedField{{Name: text, Value: text}}}},
			Snapshots:   []discord.Snapshot{{Message: discord.Message{Content: text}}},
			Poll:        &discord.Poll{Question: text, Answers: []discord.PollAnswer{{Text: text}}},
			Attachments: []discord.Attachment{{ID: 1, Name: text, Description: text}},
		}, 9)
	})
}
