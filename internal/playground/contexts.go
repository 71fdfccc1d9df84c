package playground

import (
	"sync"

	"heddle/graph"
)

// contexts keeps the graphs of the latest mentions, by trigger.
type contexts struct {
	mu     sync.Mutex
	graphs map[graph.MessageID]*graph.Graph
	order  []graph.MessageID // oldest first
}

// held is how many graphs are kept.
const held = 500

func newContexts() *contexts { return &contexts{graphs: map[graph.MessageID]*graph.Graph{}} }

func (c *contexts) put(g *graph.Graph) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := g.Trigger.ID
	if _, known := c.graphs[id]; !known {
		c.order = append(c.order, id)
	}
	c.graphs[id] = g
	if len(c.order) > held {
		delete(c.graphs, c.order[0])
		c.order = c.order[1:]
	}
}

func (c *contexts) get(id graph.MessageID) (*graph.Graph, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g, ok := c.graphs[id]
	return g, ok
}
