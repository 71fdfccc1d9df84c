package gate

import (
	"testing"

	"heddle/bot/guilds"
	"heddle/internal/discord"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveWish looks for wishes in long messages, and in the longest that may
// hold one.
func BenchmarkExpensiveWish(b *testing.B) {
	known, self := newWishes(), guilds.Self{User: 9, Role: 8}
	expensive.Text(b, func(text string) {
		known.in(&discord.Message{Content: text}, self)
		known.in(&discord.Message{Content: text[:longestWish]}, self)
	})
}
