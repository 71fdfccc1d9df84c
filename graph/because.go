package graph

import (
	"cmp"
	"slices"
)

// Because returns the reasons for a message, the deciding one first. An explicit
// reference outweighs the context of an earlier answer, which outweighs what a reader
// chose, then an inferred link, a need, and the message's place in the channel. Of reasons
// of equal weight the likelier comes first, then the one that was found first. Links that
// are too unlikely to be shown are left out if there is another reason.
func (n *Node) Because() []Reason {
	reasons := slices.Clone(n.Reasons)
	slices.SortStableFunc(reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(b.Probability, a.Probability))
	})
	for len(reasons) > 1 && reasons[len(reasons)-1].Weak() {
		reasons = reasons[:len(reasons)-1]
	}
	return reasons
}

// The weights of reasons, in ascending order.
const (
	weightWeak     = iota // an inferred link that is too unlikely to be shown
	weightPlace           // among the newest, or next to another message
	weightNeeded          // what the trigger may need
	weightInferred        // a likely link
	weightRead            // what a reader chose
	weightLineage
	weightExplicit
)

// weight returns one of the weights above.
func (r *Reason) weight() int {
	switch r.Kind {
	case ReasonLineage:
		return weightLineage
	case ReasonSeed, ReasonTemporal, ReasonRecalled:
		return weightPlace
	case ReasonNeeded:
		return weightNeeded
	case ReasonRead:
		return weightRead
	case ReasonReference, ReasonAnswer:
	}
	switch {
	case r.Reference != ReferenceInferred:
		return weightExplicit
	case r.Probability >= explainable:
		return weightInferred
	}
	return weightWeak
}

// Weak reports whether a reason is an inferred link that is too unlikely to be shown.
func (r *Reason) Weak() bool { return r.weight() == weightWeak }
