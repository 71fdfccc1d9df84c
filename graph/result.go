package graph

import (
	"cmp"
	"slices"
)

// assembly makes the Graph of a finished draft.
type assembly struct {
	*line
	draft      *draft
	references *references
}

// assemble returns the Graph of a draft. Everything in it is ordered by Position.
func assemble(l *line, d *draft, references *references) *Graph {
	y := &assembly{line: l, draft: d, references: references}
	order := y.order()
	g := &Graph{
		Trigger:      *y.entries[0].message,
		Conversation: make([]Node, 0, len(order)-1),
		Explored:     y.leftOut(),
		Edges:        y.edges(order),
		Seals:        y.draft.seals,
		Rounds:       y.draft.round,
		Threshold:    y.longest,
	}
	for _, i := range order[:len(order)-1] {
		n := &y.draft.nodes[i]
		e := &y.entries[n.entry]
		in := &g.Conversation
		if n.background {
			in = &g.Background
		}
		*in = append(*in, Node{Message: e.message, Probability: e.probability, Reasons: n.reasons})
	}
	slices.SortFunc(g.Seals, func(a, b Seal) int {
		if c := cmp.Compare(y.rankOf(a.At), y.rankOf(b.At)); c != 0 {
			return c
		}
		return cmp.Compare(a.Direction, b.Direction)
	})
	return g
}

// order ranks the nodes by Position, the trigger last, and returns them in that order.
func (y *assembly) order() []int {
	order := make([]int, len(y.draft.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return y.position(a).Compare(y.position(b)) })
	for rank, i := range order {
		y.draft.nodes[i].rank = rank
	}
	return order
}

// position returns a node's Position.
func (y *assembly) position(i int) Position {
	return y.entries[y.draft.nodes[i].entry].message.Position()
}

// rank returns the rank of an entry's node.
func (y *assembly) rank(at int) int { return y.draft.nodes[y.entries[at].node].rank }

func (y *assembly) rankOf(id MessageID) int { return y.rank(y.index[id]) }

// leftOut returns the messages that were judged and not taken, with the ways that led
// to them when the graph was full.
func (y *assembly) leftOut() []Node {
	var left []int
	for i := range y.entries {
		if e := &y.entries[i]; e.considered && e.node == notInGraph {
			left = append(left, i)
		}
	}
	slices.SortFunc(left, func(a, b int) int {
		return y.entries[a].message.Position().Compare(y.entries[b].message.Position())
	})
	nodes := make([]Node, 0, len(left))
	for _, i := range left {
		e := &y.entries[i]
		n := Node{Message: e.message, Probability: e.probability}
		for _, w := range y.draft.refused {
			if w.to == i {
				n.Reasons = append(n.Reasons, w.reason)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// inGraph returns the entry that a lookup is about, and reports whether it is in the
// graph.
func (y *assembly) inGraph(l Lookup) (int, bool) {
	at, known := y.index[l.Message]
	if !known || y.entries[at].message.Channel != l.Channel {
		return 0, false
	}
	return at, y.entries[at].node != notInGraph
}

// edges returns the graph's edges, ordered by the rank of the messages they start from.
func (y *assembly) edges(order []int) []Edge {
	slices.SortFunc(y.draft.joints, func(a, b joint) int { return cmp.Compare(y.rank(a.newer), y.rank(b.newer)) })
	references, joints := y.referencesByRank(len(order)), y.draft.joints
	edges := make([]Edge, 0, len(references)+len(joints))
	for _, i := range order {
		at := y.draft.nodes[i].entry
		m := y.entries[at].message
		for ; len(references) > 0 && references[0].from == at; references = references[1:] {
			edges = append(edges, y.referenceEdge(references[0]))
		}
		for ; len(joints) > 0 && joints[0].newer == at; joints = joints[1:] {
			edges = append(edges, Edge{
				From: m.ID, To: y.entries[joints[0].older].message.ID,
				Kind: EdgeTemporal, State: ReferenceResolved, Probability: 1, Gap: joints[0].gap,
			})
		}
		if !m.Edited.IsZero() && m.Origin != OriginSelf { // an answer of heddle's is edited as it grows
			edges = append(edges, Edge{
				From: m.ID, To: m.ID,
				Kind: EdgeVersion, State: ReferenceResolved, Probability: 1, Edited: m.Edited,
			})
		}
	}
	return edges
}

// referencesByRank returns the references in the order of the messages they start from.
// Those of one message stay as they were found. It counts before it places, as sorting
// would move each reference several times.
func (y *assembly) referencesByRank(nodes int) []*reference {
	all := y.references.all
	begins := make([]int, nodes+1) // by rank: where its next reference is placed
	for i := range all {
		begins[y.rank(all[i].from)+1]++
	}
	for rank := range nodes {
		begins[rank+1] += begins[rank]
	}
	ordered := make([]*reference, len(all))
	for i := range all {
		next := &begins[y.rank(all[i].from)]
		ordered[*next] = &all[i]
		*next++
	}
	return ordered
}

func (y *assembly) referenceEdge(r *reference) Edge {
	e := Edge{
		From: y.entries[r.from].message.ID, To: r.at.Message,
		Kind: EdgeReference, Reference: r.kind, State: r.state, Probability: r.probability,
	}
	if to, ok := y.inGraph(r.at); ok {
		e.To, e.State = y.entries[to].message.ID, ReferenceResolved
	}
	return e
}
