package graph

import (
	"cmp"
	"slices"
)

// result closes what is still open.
func (x *expansion) result() *Graph {
	x.closeAll()
	for ; x.followed < len(x.nodes); x.followed++ {
		x.collect(x.nodes[x.followed].entry, nil) // for their edges
	}
	return x.assemble()
}

// assemble orders everything by Position.
func (x *expansion) assemble() *Graph {
	order := x.order()
	g := &Graph{
		Trigger:      *x.entries[0].message,
		Conversation: make([]Node, 0, len(order)-1),
		Explored:     x.explored(),
		Edges:        x.edges(order),
		Seals:        x.seals,
		Rounds:       x.round,
		Threshold:    x.longest,
	}
	for _, i := range order[:len(order)-1] {
		n := &x.nodes[i]
		e := &x.entries[n.entry]
		in := &g.Conversation
		if n.background {
			in = &g.Background
		}
		*in = append(*in, Node{Message: *e.message, Probability: e.probability, Reasons: n.reasons})
	}
	slices.SortFunc(g.Seals, func(a, b Seal) int {
		if c := cmp.Compare(x.rankOf(a.At), x.rankOf(b.At)); c != 0 {
			return c
		}
		return cmp.Compare(a.Direction, b.Direction)
	})
	return g
}

// order returns the nodes by Position, the trigger last, and ranks them.
func (x *expansion) order() []int {
	order := make([]int, len(x.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return x.position(a).Compare(x.position(b)) })
	for rank, i := range order {
		x.nodes[i].rank = rank
	}
	return order
}

// position is a node's Position.
func (x *expansion) position(i int) Position { return x.entries[x.nodes[i].entry].message.Position() }

// rank is an entry's place among the nodes.
func (x *expansion) rank(at int) int { return x.nodes[x.entries[at].node].rank }

func (x *expansion) rankOf(id MessageID) int { return x.rank(x.index[id]) }

// closeAll seals the sides that a full graph left open, and joins neighbours that
// both got in last.
func (x *expansion) closeAll() {
	for i := range x.nodes {
		x.closeSide(&x.nodes[i], Older)
		x.closeSide(&x.nodes[i], Newer)
	}
}

func (x *expansion) closeSide(n *node, direction Direction) {
	if n.closed[direction] {
		return
	}
	s := Seal{Why: SealBudget}
	if next := x.entries[n.entry].beside[direction]; next >= 0 {
		crossed := x.gapBetween(n.entry, next, direction)
		if x.entries[next].node != notInGraph && crossed <= x.longest {
			x.join(n.entry, next)
			return
		}
		s.Beyond = x.entries[next].message.ID
	}
	x.seal(n, direction, s)
}

// explored are the messages that were weighed and not taken, with the ways that
// led to them when the graph was full.
func (x *expansion) explored() []Node {
	var left []int
	for i := range x.entries {
		if e := &x.entries[i]; e.weighed && e.node == notInGraph {
			left = append(left, i)
		}
	}
	slices.SortFunc(left, func(a, b int) int {
		return x.entries[a].message.Position().Compare(x.entries[b].message.Position())
	})
	nodes := make([]Node, 0, len(left))
	for _, i := range left {
		e := &x.entries[i]
		n := Node{Message: *e.message, Probability: e.probability}
		for _, w := range x.refused {
			if w.to == i {
				n.Reasons = append(n.Reasons, w.reason)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// inGraph returns the entry that a reference leads to and reports whether it is in the
// graph.
func (x *expansion) inGraph(l Lookup) (int, bool) {
	at, known := x.index[l.Message]
	if !known || x.entries[at].message.Channel != l.Channel {
		return 0, false
	}
	return at, x.entries[at].node != notInGraph
}

// edges are the graph's edges, by the rank of the message they start from.
func (x *expansion) edges(order []int) []Edge {
	slices.SortStableFunc(x.references, func(a, b reference) int { return cmp.Compare(x.rank(a.from), x.rank(b.from)) })
	slices.SortFunc(x.joints, func(a, b joint) int { return cmp.Compare(x.rank(a.newer), x.rank(b.newer)) })
	references, joints := x.references, x.joints
	edges := make([]Edge, 0, len(references)+len(joints))
	for _, i := range order {
		at := x.nodes[i].entry
		m := x.entries[at].message
		for ; len(references) > 0 && references[0].from == at; references = references[1:] {
			edges = append(edges, x.referenceEdge(&references[0]))
		}
		for ; len(joints) > 0 && joints[0].newer == at; joints = joints[1:] {
			edges = append(edges, Edge{
				From: m.ID, To: x.entries[joints[0].older].message.ID,
				Kind: EdgeTemporal, State: ReferenceResolved, Probability: 1, Gap: joints[0].gap,
			})
		}
		if !m.Edited.IsZero() {
			edges = append(edges, Edge{
				From: m.ID, To: m.ID,
				Kind: EdgeVersion, State: ReferenceResolved, Probability: 1, Edited: m.Edited,
			})
		}
	}
	return edges
}

func (x *expansion) referenceEdge(r *reference) Edge {
	e := Edge{
		From: x.entries[r.from].message.ID, To: r.at.Message,
		Kind: EdgeReference, Reference: r.kind, State: r.state, Probability: r.probability,
	}
	if to, ok := x.inGraph(r.at); ok {
		e.To, e.State = x.entries[to].message.ID, ReferenceResolved
	}
	return e
}
