package fetch

import "heddle/graph"

// maxGone bounds the deleted ids that are remembered for a channel.
const maxGone = 1024

// gone remembers the ids of the messages that were deleted last.
type gone struct {
	ids   map[graph.MessageID]struct{}
	order []graph.MessageID // a ring buffer once it is full
	next  int
}

func (g *gone) has(id graph.MessageID) bool {
	_, is := g.ids[id]
	return is
}

// add adds a message. If there are too many, it replaces the one added longest ago.
func (g *gone) add(id graph.MessageID) {
	if g.has(id) {
		return
	}
	if g.ids == nil {
		g.ids = make(map[graph.MessageID]struct{})
	}
	g.ids[id] = struct{}{}
	if len(g.order) < maxGone {
		g.order = append(g.order, id)
		return
	}
	delete(g.ids, g.order[g.next])
	g.order[g.next] = id
	g.next = (g.next + 1) % maxGone
}
