package playground

import (
	"sync"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// contexts keeps what the latest answers were made from.
type contexts struct {
	mu    sync.Mutex
	begun recent[graph.MessageID, basis]            // by the message answered
	made  recent[store.ResponseID, basis]           // by alternative
	shown recent[graph.MessageID, store.ResponseID] // by the message that shows it
}

// basis is what an answer is made from.
type basis struct {
	graph *graph.Graph
	built path.Built
}

// Begins implements Observer.
func (c *contexts) Begins(to graph.MessageID, g *graph.Graph, built path.Built) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun.put(to, basis{g, built})
}

// Made implements Observer.
func (c *contexts) Made(response store.ResponseID, g *graph.Graph, built path.Built) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made.put(response, basis{g, built})
}

// Shows implements Observer.
func (c *contexts) Shows(messages []graph.MessageID, response store.ResponseID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range messages {
		c.shown.put(id, response)
	}
}

// of returns what a message was made from in its current version. It is part of an
// answer to another message.
func (c *contexts) of(message, to graph.MessageID) (basis, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.made.values[c.shown.values[message]]; ok {
		return b, true
	}
	b, ok := c.begun.values[to]
	return b, ok
}

// capacity is how many values recent keeps.
const capacity = 500

// recent is a map that forgets its oldest keys. The zero recent is empty.
type recent[K comparable, V any] struct {
	values map[K]V
	order  []K // oldest first
}

func (r *recent[K, V]) put(key K, value V) {
	if r.values == nil {
		r.values = make(map[K]V)
	}
	if _, known := r.values[key]; !known {
		r.order = append(r.order, key)
	}
	r.values[key] = value
	if len(r.order) > capacity {
		delete(r.values, r.order[0])
		r.order = r.order[1:]
	}
}
