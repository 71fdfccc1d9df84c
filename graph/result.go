package graph

import (
	"cmp"
	"slices"
)

// result returns the Graph of what was admitted. Everything in it is ordered by Position.
func (s *selection) result() *Graph {
	position := func(at int) Position { return s.entries[at].message.Position() }
	slices.SortFunc(s.reached, func(a, b int) int { return position(a).Compare(position(b)) })
	for _, at := range s.reached {
		s.end(at, Older)
		s.end(at, Newer)
		s.collect(at, nil) // what was admitted last was not followed
	}
	g := &Graph{
		Trigger: *s.entries[0].message, Conversation: make([]Node, 0, len(s.reached)-1), Explored: s.unsent(),
		Edges: make([]Edge, 0, len(s.references)+len(s.reached)), Rounds: s.round, Threshold: s.longest, Read: s.choice,
	}
	for _, at := range s.reached {
		if !s.sent(at) {
			continue
		}
		g.Edges = s.appendEdges(g.Edges, at)
		e := &s.entries[at]
		shown := Node{Message: e.message, Probability: e.probability, Needed: e.needed, Reasons: s.shownReasons(e)}
		switch {
		case at == 0:
		case e.place == inBackground:
			g.Background = append(g.Background, shown)
		default:
			g.Conversation = append(g.Conversation, shown)
		}
	}
	g.Seals = slices.DeleteFunc(s.seals, func(end Seal) bool { return !s.sent(s.index[end.At]) })
	slices.SortFunc(g.Seals, func(a, b Seal) int {
		return cmp.Or(position(s.index[a.At]).Compare(position(s.index[b.At])), cmp.Compare(a.Direction, b.Direction))
	})
	return g
}

// sent reports whether an entry is sent to the model.
func (s *selection) sent(at int) bool {
	return at >= 0 && s.entries[at].place != unreached && s.entries[at].place != leftOut
}

// joined reports whether an entry is joined with its neighbour.
func (s *selection) joined(at int, direction Direction) bool {
	next := s.entries[at].neighbour[direction]
	return s.sent(next) && !s.entries[at].sealed[direction] && !s.entries[next].sealed[1-direction] &&
		(s.judges || !s.separated(at, next, direction))
}

// end seals a side that was left open, as there was no room. With an affinity, a walk to
// messages that were not admitted ended here as well.
func (s *selection) end(at int, direction Direction) {
	if !s.sent(at) || s.joined(at, direction) {
		return
	}
	next := s.entries[at].neighbour[direction]
	seal := Seal{Why: SealBudget}
	switch {
	case next >= 0:
		seal.Beyond = s.entries[next].message.ID
	case s.judges:
		seal.Why = sealReason(next)
	}
	if next >= 0 && s.judges && s.entries[next].considered {
		for beyond := next; beyond >= 0 && s.entries[beyond].considered; beyond = s.entries[beyond].neighbour[direction] {
			if s.sent(beyond) {
				return // the walk only passed other messages
			}
		}
		if s.entries[next].probability <= 0.5 || s.count(inConversation) < s.options.MaxTotal {
			seal.Why = SealAffinity
		}
	}
	s.seal(at, direction, seal)
}

// shownReasons returns the reasons for an entry that are shown. With an affinity, reasons
// that name a message that is not sent are left out, and the place next to another message
// if there is a link, unless nothing would be left.
func (s *selection) shownReasons(e *entry) []Reason {
	if !s.judges {
		return e.reasons
	}
	linked := slices.ContainsFunc(e.reasons, func(r Reason) bool { return r.isLink() && s.sent(s.index[r.From]) })
	shown := slices.DeleteFunc(slices.Clone(e.reasons), func(r Reason) bool {
		return r.From != 0 && !s.sent(s.index[r.From]) || r.Kind == ReasonTemporal && linked
	})
	if len(shown) == 0 {
		return e.reasons
	}
	return shown
}

// unsent returns the messages that were reached or judged and are not sent, with the ways
// that led to them.
func (s *selection) unsent() []Node {
	var nodes []Node
	for at := range s.entries {
		e := &s.entries[at]
		if s.sent(at) || !e.considered && e.place == unreached {
			continue
		}
		n := Node{Message: e.message, Probability: e.probability, Needed: e.needed, Reasons: e.reasons}
		for _, w := range s.refused {
			if w.to == at {
				n.Reasons = append(n.Reasons, w.reason)
			}
		}
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, byPosition)
	return nodes
}

// appendEdges appends the edges that start from an entry: its references, its likely links
// to older messages, the one to its older neighbour, and its new version.
func (s *selection) appendEdges(edges []Edge, at int) []Edge {
	e := &s.entries[at]
	m := e.message
	for i := range s.references {
		r := &s.references[i]
		if r.from != at || r.at.Message == 0 { // the mention of a channel that is no thread, or may not be read
			continue
		}
		edge := Edge{From: m.ID, To: r.at.Message, Kind: EdgeReference, Reference: r.kind, State: r.state, Probability: 1}
		if to, known := s.index[r.at.Message]; known && s.entries[to].message.Channel == r.at.Channel && s.sent(to) {
			edge.To, edge.State = s.entries[to].message.ID, ReferenceResolved
		}
		edges = append(edges, edge)
	}
	for _, older := range s.reached {
		to := &s.entries[older]
		if !s.judges || !e.considered || !s.sent(older) || !to.considered || to.number >= e.number {
			continue
		}
		p := s.belief.answers(e.number, to.number)
		if p >= explainable && kindOf(m, to.message) == ReferenceInferred {
			edges = append(edges, Edge{
				From: m.ID, To: to.message.ID, Kind: EdgeReference, Reference: ReferenceInferred,
				State: ReferenceResolved, Probability: p,
			})
		}
	}
	if s.joined(at, Older) {
		older := e.neighbour[Older]
		edges = append(edges, Edge{
			From: m.ID, To: s.entries[older].message.ID, Kind: EdgeTemporal,
			State: ReferenceResolved, Probability: 1, Gap: s.gapBetween(at, older, Older),
		})
	}
	if !m.Edited.IsZero() && m.Origin != OriginSelf { // an answer of heddle's is edited as it grows
		edges = append(edges, Edge{
			From: m.ID, To: m.ID, Kind: EdgeVersion, State: ReferenceResolved, Probability: 1, Edited: m.Edited,
		})
	}
	return edges
}
