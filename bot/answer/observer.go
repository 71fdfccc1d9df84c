package answer

import (
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// Observer is notified of what answers are made from. It may be called from any
// goroutine. It may keep what it receives, unless a method says otherwise, and must not
// wait, as answers wait for it.
type Observer interface {
	// Begins is called with the graph and the path of an answer before it starts, and
	// with the message that it replies to.
	Begins(to graph.MessageID, g *graph.Graph, built path.Built)
	// Made is called with the graph and the path that a response was made from, before
	// any message shows the response. The Observer must not keep the response, which
	// still changes.
	Made(response *store.Response, g *graph.Graph, built path.Built)
	// Shows is called with the response that messages are about to show.
	Shows(messages []graph.MessageID, response store.ResponseID)
	// Recorded is called once a response is stored.
	Recorded(response store.ResponseID)
}

// Unobserved is the Observer of answers that nobody observes.
type Unobserved struct{}

// Begins does nothing.
func (Unobserved) Begins(graph.MessageID, *graph.Graph, path.Built) {}

// Made does nothing.
func (Unobserved) Made(*store.Response, *graph.Graph, path.Built) {}

// Shows does nothing.
func (Unobserved) Shows([]graph.MessageID, store.ResponseID) {}

// Recorded does nothing.
func (Unobserved) Recorded(store.ResponseID) {}
