package graph

import (
	"cmp"
	"slices"
)

// Because returns the reasons for a message, the deciding one first. A reference that
// somebody made outweighs the context of an earlier answer, that outweighs a link that
// the affinity inferred, and that outweighs the message's place. Of equal reasons the
// likelier comes first, then the one that was found first. Links too unlikely to be told
// are left out where there is another reason.
func (n *Node) Because() []Reason {
	reasons := slices.Clone(n.Reasons)
	slices.SortStableFunc(reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(b.Probability, a.Probability))
	})
	for len(reasons) > 1 && reasons[len(reasons)-1].weight() == weightWeak {
		reasons = reasons[:len(reasons)-1]
	}
	return reasons
}

// The weights of reasons, the least first.
const (
	weightWeak     = iota // an inferred link that is too unlikely to be told
	weightPlace           // among the newest, or next to another message
	weightInferred        // a likely link
	weightLineage
	weightExplicit
)

func (r *Reason) weight() int {
	switch r.Kind {
	case ReasonLineage:
		return weightLineage
	case ReasonSeed, ReasonTemporal:
		return weightPlace
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
