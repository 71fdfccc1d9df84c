package playground

import (
	"context"
	"sync"

	"heddle/bot/answer"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/store"
)

// contexts remembers what answers were made from.
type contexts struct {
	recent *answer.Recent
	chat   *discordtest.Chat // whose watchers are told when messages show another answer

	mu    sync.Mutex
	begun map[graph.MessageID]basis            // by the message answered
	made  map[store.ResponseID]basis           // by alternative
	shown map[graph.MessageID]store.ResponseID // by the message that shows it
}

func newContexts(chat *discordtest.Chat, recent *answer.Recent) *contexts {
	return &contexts{recent: recent, chat: chat, begun: map[graph.MessageID]basis{}, made: map[store.ResponseID]basis{}, shown: map[graph.MessageID]store.ResponseID{}}
}

// basis is what an answer was made from.
type basis struct {
	graph *graph.Graph
	built path.Built
	tail  string // "" while it is only being answered
}

// follow takes news of answers as they come, until ctx ends.
func (c *contexts) follow(ctx context.Context) {
	for ctx.Err() == nil {
		c.take()
		select {
		case <-c.recent.Changed:
		case <-ctx.Done():
		}
	}
}

// take takes the news of answers.
func (c *contexts) take() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.recent.Take() {
		b := basis{n.Graph, n.Built, n.Tail}
		switch {
		case n.To != 0:
			c.begun[n.To] = b
		case n.Graph != nil:
			c.made[n.Response] = b
		default:
			for _, id := range n.Messages {
				c.shown[id] = n.Response
			}
			defer c.chat.Tell(changedAnswers)
		}
	}
}

// of returns what the current version of a message was made from. The message is part
// of an answer to the message to.
func (c *contexts) of(message, to graph.MessageID) (basis, bool) {
	c.take() // the page may have learnt of the message before follow did
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.made[c.shown[message]]; ok {
		return b, true
	}
	b, ok := c.begun[to]
	return b, ok
}
