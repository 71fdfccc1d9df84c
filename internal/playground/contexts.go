package playground

import (
	"sync"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// contexts remembers what the latest answers were made from, and finds stored answers.
type contexts struct {
	news *bell // rings when something is stored, or other messages show it

	mu      sync.Mutex
	begun   recent[graph.MessageID, basis]            // by the message answered
	made    recent[store.ResponseID, basis]           // by alternative
	shown   recent[graph.MessageID, store.ResponseID] // by the message that shows it
	asked   recent[graph.MessageID, question]         // by the message that asks
	answers Answers                                   // nil until the store is open
}

// question identifies the stored answers to a question.
type question struct {
	scope      store.Scope
	generation int // of its latest answers
}

// basis is what an answer was made from.
type basis struct {
	graph      *graph.Graph
	built      path.Built
	tail       string // "" while it is only being answered
	trigger    graph.MessageID
	generation int // latest if it is only being answered
}

// Begins implements Observer.
func (c *contexts) Begins(to graph.MessageID, g *graph.Graph, built path.Built) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun.put(to, basis{graph: g, built: built, trigger: g.Trigger.ID, generation: latest})
}

// Made implements Observer.
func (c *contexts) Made(response *store.Response, g *graph.Graph, built path.Built) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made.put(response.ID, basis{graph: g, built: built, tail: response.Tail, trigger: response.Trigger, generation: response.Generation})
	c.asked.put(response.Trigger, question{response.Scope, response.Generation})
}

// Shows implements Observer.
func (c *contexts) Shows(messages []graph.MessageID, response store.ResponseID) {
	c.mu.Lock()
	for _, id := range messages {
		c.shown.put(id, response)
	}
	c.mu.Unlock()
	c.news.ring()
}

// Recorded implements Observer.
func (c *contexts) Recorded(store.ResponseID) { c.news.ring() }

// open is called with the stored answers.
func (c *contexts) open(answers Answers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers = answers
}

// of returns what the current version of a message was made from. The message is part
// of an answer to the message to.
func (c *contexts) of(message, to graph.MessageID) (basis, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.made.values[c.shown.values[message]]; ok {
		return b, true
	}
	b, ok := c.begun.values[to]
	return b, ok
}

// capacity is the number of values that recent holds.
const capacity = 500

// recent is a map that drops its oldest keys when it is full. The zero recent is empty.
type recent[K comparable, V any] struct {
	values map[K]V
	order  []K // oldest first
}

// put keeps a value, and drops the oldest one if there are too many.
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
