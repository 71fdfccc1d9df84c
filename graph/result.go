package graph

import (
	"cmp"
	"slices"
)

// explainable is the least probability of an inferred link that is shown.
const explainable = 0.1

// assembly makes the Graph of a draft.
type assembly struct {
	*line
	draft      *draft
	references *references
	judging    *judging
}

// result returns the Graph of what was admitted. Everything in it is ordered by Position.
func (x *assembly) result() *Graph {
	slices.SortFunc(x.draft.nodes, func(a, b node) int {
		return x.entries[a.entry].message.Position().Compare(x.entries[b.entry].message.Position())
	})
	for i := range x.draft.nodes {
		x.entries[x.draft.nodes[i].entry].node = i
	}
	for i := range x.draft.nodes {
		x.end(&x.draft.nodes[i], Older)
		x.end(&x.draft.nodes[i], Newer)
	}
	g := &Graph{
		Trigger: *x.entries[0].message, Conversation: make([]Node, 0, len(x.draft.nodes)-1),
		Explored: x.unsent(), Edges: x.edges(), Seals: x.sealsOfSent(), Rounds: x.draft.round, Threshold: x.longest, Read: x.draft.choice,
	}
	for i := range x.draft.nodes {
		n := &x.draft.nodes[i]
		shown := Node{Message: x.entries[n.entry].message, Probability: x.entries[n.entry].probability, Needed: x.entries[n.entry].needed, Reasons: x.told(n)}
		switch {
		case n.entry == 0 || n.place == leftOut:
		case n.place == inBackground:
			g.Background = append(g.Background, shown)
		default:
			g.Conversation = append(g.Conversation, shown)
		}
	}
	return g
}

// told returns the reasons for a node that are told. With an affinity, those are left out
// that name a message that is not sent, and its place beside another one if there is a link.
func (x *assembly) told(n *node) []Reason {
	if !x.draft.judged {
		return n.reasons
	}
	linked := slices.ContainsFunc(n.reasons, func(r Reason) bool { return r.links() && x.sent(x.index[r.From]) })
	told := slices.DeleteFunc(slices.Clone(n.reasons), func(r Reason) bool {
		return r.From != 0 && !x.sent(x.index[r.From]) || r.Kind == ReasonTemporal && linked
	})
	if len(told) == 0 {
		return n.reasons
	}
	return told
}

// sent reports whether an entry is sent to the model.
func (x *assembly) sent(at int) bool {
	return at >= 0 && x.entries[at].node != notInGraph && x.draft.nodes[x.entries[at].node].place != leftOut
}

// joined reports whether a node is joined with the one right beside it.
func (x *assembly) joined(n *node, direction Direction) bool {
	next := x.entries[n.entry].beside[direction]
	return x.sent(next) && !x.entries[n.entry].sealed[direction] && !x.entries[next].sealed[direction.opposite()] &&
		(x.draft.judged || !x.draft.parts(n.entry, next, direction))
}

// end seals a side that was left open, as there was no room. With an affinity, a walk that
// went on to messages that were not admitted ended here as well.
func (x *assembly) end(n *node, direction Direction) {
	if !x.sent(n.entry) || x.joined(n, direction) {
		return
	}
	next := x.entries[n.entry].beside[direction]
	s := Seal{Why: SealBudget}
	switch {
	case next >= 0:
		s.Beyond = x.entries[next].message.ID
	case x.draft.judged:
		s.Why = sealReason(next)
	}
	if next >= 0 && x.draft.judged && x.entries[next].considered {
		for at := next; at >= 0 && x.entries[at].considered; at = x.entries[at].beside[direction] {
			if x.sent(at) {
				return // the walk only passed over other messages
			}
		}
		if x.entries[next].probability <= 0.5 || admitted(x.draft.nodes) < x.options.MaxTotal {
			s.Why = SealAffinity
		}
	}
	x.draft.seal(n.entry, direction, s)
}

// sealsOfSent returns the seals of messages that are sent, in their order.
func (x *assembly) sealsOfSent() []Seal {
	rank := func(s Seal) int { return x.entries[x.index[s.At]].node }
	seals := slices.DeleteFunc(x.draft.seals, func(s Seal) bool { return !x.sent(x.index[s.At]) })
	slices.SortFunc(seals, func(a, b Seal) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Direction, b.Direction))
	})
	return seals
}

// unsent returns the messages that were reached or judged and are not sent, with the ways
// that led to them.
func (x *assembly) unsent() []Node {
	var nodes []Node
	for at := range x.entries {
		e := &x.entries[at]
		if x.sent(at) || !e.considered && e.node == notInGraph {
			continue
		}
		n := Node{Message: e.message, Probability: e.probability, Needed: e.needed}
		if e.node != notInGraph {
			n.Reasons = x.draft.nodes[e.node].reasons
		}
		for _, w := range x.draft.refused {
			if w.to == at {
				n.Reasons = append(n.Reasons, w.reason)
			}
		}
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	return nodes
}

// edges returns the edges of what is sent, ordered by the messages they start from.
func (x *assembly) edges() []Edge {
	for i := range x.draft.nodes {
		x.references.collect(x.draft.nodes[i].entry, nil) // what was admitted last was not followed
	}
	edges := make([]Edge, 0, len(x.references.all)+len(x.draft.nodes))
	for i := range x.draft.nodes {
		n := &x.draft.nodes[i]
		if !x.sent(n.entry) {
			continue
		}
		m := x.entries[n.entry].message
		for k := range x.references.all {
			if r := &x.references.all[k]; r.from == n.entry {
				edges = append(edges, x.referenceEdge(m, r))
			}
		}
		edges = x.inferredEdges(edges, n)
		if x.joined(n, Older) {
			older := x.entries[n.entry].beside[Older]
			edges = append(edges, Edge{
				From: m.ID, To: x.entries[older].message.ID, Kind: EdgeTemporal,
				State: ReferenceResolved, Probability: 1, Gap: x.gapBetween(n.entry, older, Older),
			})
		}
		if !m.Edited.IsZero() && m.Origin != OriginSelf { // an answer of heddle's is edited as it grows
			edges = append(edges, Edge{
				From: m.ID, To: m.ID, Kind: EdgeVersion, State: ReferenceResolved, Probability: 1, Edited: m.Edited,
			})
		}
	}
	return edges
}

func (x *assembly) referenceEdge(m *Message, r *reference) Edge {
	e := Edge{From: m.ID, To: r.at.Message, Kind: EdgeReference, Reference: r.kind, State: r.state, Probability: r.probability}
	if to, known := x.index[r.at.Message]; known && x.entries[to].message.Channel == r.at.Channel && x.sent(to) {
		e.To, e.State = x.entries[to].message.ID, ReferenceResolved
	}
	return e
}

// inferredEdges appends the likely links of a node to older ones.
func (x *assembly) inferredEdges(edges []Edge, n *node) []Edge {
	from := &x.entries[n.entry]
	if !x.draft.judged || !from.considered {
		return edges
	}
	for i := range x.draft.nodes {
		to := &x.entries[x.draft.nodes[i].entry]
		if !x.sent(x.draft.nodes[i].entry) || !to.considered || to.number >= from.number {
			continue
		}
		p := x.judging.belief.answers(from.number, to.number)
		if p >= explainable && kindOf(from.message, to.message) == ReferenceInferred {
			edges = append(edges, Edge{
				From: from.message.ID, To: to.message.ID, Kind: EdgeReference, Reference: ReferenceInferred,
				State: ReferenceResolved, Probability: p,
			})
		}
	}
	return edges
}
