package graph

import (
	"cmp"
	"slices"
	"time"
)

// way leads from a node to an entry in one round.
type way struct {
	from, to int
	target   MessageID     // the id of to
	gap      time.Duration // crossed to reach it
	reason   Reason
}

// compareWays puts the best first: references before neighbours, then the higher
// affinity, the smaller gap, the higher id.
func compareWays(a, b way) int {
	if c := cmp.Compare(a.reason.Kind, b.reason.Kind); c != 0 {
		return c
	}
	if c := cmp.Compare(b.reason.Probability, a.reason.Probability); c != 0 {
		return c
	}
	if c := cmp.Compare(a.gap, b.gap); c != 0 {
		return c
	}
	if c := cmp.Compare(b.target, a.target); c != 0 {
		return c
	}
	if c := cmp.Compare(b.reason.From, a.reason.From); c != 0 {
		return c
	}
	return cmp.Compare(a.reason.Reference, b.reason.Reference)
}

// admit takes the best of a round's ways while there is room, and reports whether it
// added anything. A way to a message in the graph is one more reason for that message.
func (x *expansion) admit() (added bool) {
	slices.SortFunc(x.ways, compareWays)
	for _, w := range x.ways {
		e := &x.entries[w.to]
		switch {
		case e.node != notInGraph:
			n := &x.draft.nodes[e.node]
			n.reasons = append(n.reasons, w.reason)
		case x.draft.room() > 0:
			x.draft.place(w.to, w.reason)
			e.probability = 1
			added = true
		default:
			e.considered = true
			x.draft.refused = append(x.draft.refused, w)
		}
	}
	return added
}
