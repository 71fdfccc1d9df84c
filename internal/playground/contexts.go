package playground

import (
	"sync"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/store"
)

// contexts remembers what answers were made from. It implements answer.Observer.
type contexts struct {
	chat *discordtest.Chat // whose watchers are told when messages show another answer

	mu    sync.Mutex
	begun map[graph.MessageID]basis            // by the message answered
	made  map[store.ResponseID]basis           // by alternative
	shown map[graph.MessageID]store.ResponseID // by the message that shows it
}

func newContexts(chat *discordtest.Chat) *contexts {
	return &contexts{chat: chat, begun: map[graph.MessageID]basis{}, made: map[store.ResponseID]basis{}, shown: map[graph.MessageID]store.ResponseID{}}
}

// basis is what an answer was made from.
type basis struct {
	graph *graph.Graph
	built path.Built
	tail  string // "" while it is only being answered
}

// Begins implements answer.Observer.
func (c *contexts) Begins(to graph.MessageID, g *graph.Graph, built path.Built) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun[to] = basis{g, built, ""}
}

// Made implements answer.Observer.
func (c *contexts) Made(response *store.Response, g *graph.Graph, built path.Built) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[response.ID] = basis{g, built, response.Tail}
}

// Shows implements answer.Observer.
func (c *contexts) Shows(messages []graph.MessageID, response store.ResponseID) {
	c.mu.Lock()
	for _, id := range messages {
		c.shown[id] = response
	}
	c.mu.Unlock()
	c.chat.Tell(changedAnswers)
}

// of returns what the current version of a message was made from. The message is part
// of an answer to the message to.
func (c *contexts) of(message, to graph.MessageID) (basis, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.made[c.shown[message]]; ok {
		return b, true
	}
	b, ok := c.begun[to]
	return b, ok
}
