package bot

import (
	"heddle/graph"
	"heddle/store"
)

// Observer is told what answers are made from, from any goroutine. It may keep the
// graphs, and must not wait: answers wait for it.
type Observer interface {
	// Begins is told the graph of an answer before it starts, and the message that it
	// replies to.
	Begins(to graph.MessageID, g *graph.Graph)
	// Made is told the graph that a response was made from, before any message shows it.
	Made(response store.ResponseID, g *graph.Graph)
	// Shows is told which response messages are about to show.
	Shows(messages []graph.MessageID, response store.ResponseID)
}

// unobserved is where nobody wants to know.
type unobserved struct{}

func (unobserved) Begins(graph.MessageID, *graph.Graph)      {}
func (unobserved) Made(store.ResponseID, *graph.Graph)       {}
func (unobserved) Shows([]graph.MessageID, store.ResponseID) {}

// observe tells what a response was made from. Where it takes the place of another
// it is the one shown from here on: its last edit must not be seen before.
func (b *Bot) observe(p *prepared, response *store.Response) {
	b.observer.Made(response.ID, p.graph)
	b.observer.Shows(p.over, response.ID)
}
