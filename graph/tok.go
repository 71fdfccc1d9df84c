package graph

import "time"

// stretch is the number of messages of other talks in a row that a walk passes. One more
// seals the side.
const stretch = 5

// tok walks from every message that was reached to its nearest neighbours on both sides,
// and reports whether it reached anything new. A gap that exceeds the threshold seals a
// side, and so does a stretch of messages that an affinity puts in other talks.
func (x *expansion) tok() (reached bool, err error) {
	w := walking{x.draft}
	if err := w.lookAround(); err != nil {
		return false, err
	}
	w.ways = w.ways[:0]
	for i := range w.nodes {
		w.step(i, Older)
		w.step(i, Newer)
	}
	return w.reach(), nil
}

// walking is a draft whose messages are walked from.
type walking struct{ *draft }

// lookAround reads the neighbours of nodes where they are not known. It asks for as
// many as could be reached, so that most stretches are read once. With an affinity, judge
// has read them.
func (x walking) lookAround() error {
	if x.judged {
		return nil
	}
	x.walks, x.walkers = x.walks[:0], x.walkers[:0]
	for i := range x.nodes {
		n := &x.nodes[i]
		for _, direction := range [...]Direction{Older, Newer} {
			if !n.closed[direction] {
				x.walkFrom(n.entry, direction, max(x.room(), 1))
			}
		}
	}
	return x.walk()
}

// step handles one side of a node. It records the way to its neighbour, closes the side if
// that was reached, or seals it. Messages of other talks are walked past.
func (x walking) step(i int, direction Direction) {
	n := &x.nodes[i]
	if n.closed[direction] || !x.spreads(n) {
		return
	}
	at, apart := n.entry, time.Duration(0)
	for passed := 0; ; passed++ {
		next := x.entries[at].beside[direction]
		if next == besideUnknown {
			return
		}
		if next < 0 {
			n.closed[direction] = true
			x.seal(at, direction, Seal{Why: sealReason(next)})
			return
		}
		neighbour, crossed := &x.entries[next], x.gapBetween(at, next, direction)
		apart += crossed
		switch beyond := neighbour.message.ID; {
		case x.parts(at, next, direction):
			n.closed[direction] = true
			neighbour.considered = neighbour.considered || !x.judged
			x.seal(at, direction, Seal{Why: SealGap, Beyond: beyond, Gap: crossed})
			return
		case x.judged && !neighbour.considered:
			return // it is not judged yet
		case x.belongs(next) || !x.judged:
			reached := neighbour.node != notInGraph && x.nodes[neighbour.node].led
			n.closed[direction] = reached
			if !reached {
				x.way(n.entry, next, apart, Reason{Kind: ReasonTemporal, Probability: 1, Gap: apart})
			}
			return
		case passed == stretch:
			n.closed[direction] = true
			x.seal(at, direction, Seal{Why: SealAffinity, Beyond: beyond})
			return
		}
		at = next
	}
}

// sealReason returns the reason of a seal where no entry stands beside.
func sealReason(beside int) SealReason {
	switch beside {
	case besideChannelEnd:
		return SealChannel
	case besideUnreadable:
		return SealUnreadable
	case besideTrigger:
		return SealTrigger
	}
	return SealBudget
}
