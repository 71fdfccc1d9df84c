package graph

import "time"

// tok walks from every message in the graph to its nearest neighbours, both ways,
// and reports whether it added any. A gap over the threshold seals a side.
func (x *expansion) tok() (added bool, err error) {
	if err := x.lookAround(); err != nil {
		return false, err
	}
	x.ways = x.ways[:0]
	for i := range x.nodes {
		x.step(i, Older)
		x.step(i, Newer)
	}
	added = x.admit()
	for _, w := range x.ways {
		if x.entries[w.to].node != notInGraph {
			x.join(w.from, w.to)
		}
	}
	return added, nil
}

// lookAround reads what stands beside the nodes where that is not known. It asks
// for as much as could be admitted, so that most stretches are read once.
func (x *expansion) lookAround() error {
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

// walkFrom notes a walk to make, if what stands beside the entry is not known.
func (x *expansion) walkFrom(at int, direction Direction, limit int) {
	if x.entries[at].beside[direction] != besideUnknown {
		return
	}
	m := x.entries[at].message
	x.walkers = append(x.walkers, at)
	x.walks = append(x.walks, Walk{Channel: m.Channel, From: m.Position(), Direction: direction, Limit: limit})
}

// walk makes the walks that were noted.
func (x *expansion) walk() error {
	reading, err := x.read(Batch{Walks: x.walks})
	if err != nil {
		return err
	}
	for i := range x.walks {
		x.learn(x.walkers[i], x.walks[i].Direction, &reading.Stretches[i])
	}
	return nil
}

// step looks at one side of a node: it notes the way to its neighbour, joins it
// with a neighbour that is in the graph, or seals the side.
func (x *expansion) step(i int, direction Direction) {
	n := &x.nodes[i]
	if n.closed[direction] {
		return
	}
	next := x.entries[n.entry].beside[direction]
	if next < 0 {
		x.seal(n, direction, Seal{Why: sealReason(next)})
		return
	}
	crossed := x.gapBetween(n.entry, next, direction)
	neighbour := &x.entries[next]
	switch {
	case crossed > x.longest:
		neighbour.weighed = true
		x.seal(n, direction, Seal{Why: SealGap, Beyond: neighbour.message.ID, Gap: crossed})
	case neighbour.node != notInGraph:
		x.join(n.entry, next)
	default:
		x.ways = append(x.ways, way{
			from: n.entry, to: next, target: neighbour.message.ID, gap: crossed,
			reason: Reason{
				Kind: ReasonTemporal, Round: x.round, From: x.entries[n.entry].message.ID,
				Probability: 1, Gap: crossed,
			},
		})
	}
}

// gapBetween is the gap from an entry to the one beside it.
func (x *expansion) gapBetween(at, next int, direction Direction) time.Duration {
	if direction == Older {
		at, next = next, at
	}
	return gap(x.entries[at].message, x.entries[next].message)
}

// join closes the facing sides of two nodes that stand next to each other.
func (x *expansion) join(a, b int) {
	older, newer := a, b
	if x.entries[a].message.Position().Compare(x.entries[b].message.Position()) > 0 {
		older, newer = b, a
	}
	x.nodes[x.entries[older].node].closed[Newer] = true
	x.nodes[x.entries[newer].node].closed[Older] = true
	x.joints = append(x.joints, joint{
		older: older, newer: newer, gap: x.gapBetween(newer, older, Older),
	})
}

// seal closes a side of a node for good. Where and when are filled in here.
func (x *expansion) seal(n *node, direction Direction, s Seal) {
	n.closed[direction] = true
	m := x.entries[n.entry].message
	s.At, s.Channel, s.Direction, s.Round = m.ID, m.Channel, direction, x.round
	x.seals = append(x.seals, s)
}

// sealReason translates why nothing stands beside an entry.
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
