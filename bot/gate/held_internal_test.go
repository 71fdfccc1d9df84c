package gate

import (
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfWhoMayAsk(t *testing.T) {
	heaptest.AtMost(t, "who was told what heddle lacks", func() any {
		l := newLacking(nil)
		for channel := range graph.ChannelID(2 * mostLacking) {
			for person := range graph.UserID(mostTold + 10) {
				l.news(channel+1, person+1, 1)
			}
		}
		return l
	})
	heaptest.AtMost(t, "the questions of bots", func() any {
		b := &bots{allowed: []graph.UserID{1}, most: 10, asked: make(map[graph.ChannelID][]graph.MessageID)}
		for channel := range graph.ChannelID(2 * mostTalks) {
			for question := range graph.MessageID(2 * b.most) {
				b.mayAsk(&discord.Message{ID: question + 1, Channel: channel + 1, Author: discord.User{ID: 1, Bot: true}})
			}
		}
		return b
	})
}
