package gate

import (
	"slices"
	"sync"

	"heddle/graph"
	"heddle/internal/discord"
)

// mostTalks bounds the channels in which the questions of bots are counted.
const mostTalks = 4096

// bots lets bots ask a limited number of times in a row, so that two bots that answer
// each other stop at some time. It may be used by any goroutine.
//
// mu guards asked; it is never held over I/O.
type bots struct {
	allowed []graph.UserID
	most    int // questions in a row

	mu    sync.Mutex
	asked map[graph.ChannelID][]graph.MessageID // by bots, since a person said something
}

// heard notes a message. When a person writes in a channel, bots may ask there again.
func (b *bots) heard(m *discord.Message) {
	if m.Author.Bot || m.Webhook != 0 || m.Author.System {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.asked, m.Channel)
}

// mayAsk reports whether a bot's question is to be answered, and counts it.
func (b *bots) mayAsk(m *discord.Message) bool {
	if !slices.Contains(b.allowed, m.Author.ID) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := b.asked[m.Channel]
	switch {
	case slices.Contains(asked, m.ID):
		return true
	case len(asked) >= b.most:
		return false
	case len(b.asked) >= mostTalks && len(asked) == 0:
		return false // nobody can follow that many conversations of bots
	}
	b.asked[m.Channel] = append(asked, m.ID)
	return true
}
