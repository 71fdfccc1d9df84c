package graph

// tok walks from every message in the graph to its nearest neighbours on both sides,
// and reports whether it added any message. A gap that exceeds the threshold seals a
// side.
func (x *expansion) tok() (added bool, err error) {
	if err := x.lookAround(); err != nil {
		return false, err
	}
	x.ways = x.ways[:0]
	for i := range x.draft.nodes {
		x.step(i, Older)
		x.step(i, Newer)
	}
	added = x.admit()
	for _, w := range x.ways {
		if x.entries[w.to].node != notInGraph {
			x.draft.join(w.from, w.to)
		}
	}
	return added, nil
}

// lookAround reads the neighbours of nodes where they are not known. It asks for as
// many as could be admitted, so that most stretches are read once.
func (x *expansion) lookAround() error {
	x.walks, x.walkers = x.walks[:0], x.walkers[:0]
	for i := range x.draft.nodes {
		n := &x.draft.nodes[i]
		for _, direction := range [...]Direction{Older, Newer} {
			if !n.closed[direction] {
				x.walkFrom(n.entry, direction, max(x.draft.room(), 1))
			}
		}
	}
	return x.walk()
}

// step handles one side of a node. It records the way to its neighbour, joins it with a
// neighbour that is in the graph, or seals the side.
func (x *expansion) step(i int, direction Direction) {
	n := &x.draft.nodes[i]
	if n.closed[direction] {
		return
	}
	next := x.entries[n.entry].beside[direction]
	if next < 0 {
		x.draft.seal(n, direction, Seal{Why: sealReason(next)})
		return
	}
	crossed := x.gapBetween(n.entry, next, direction)
	neighbour := &x.entries[next]
	switch {
	case crossed > x.longest:
		neighbour.considered = true
		x.draft.seal(n, direction, Seal{Why: SealGap, Beyond: neighbour.message.ID, Gap: crossed})
	case neighbour.node != notInGraph:
		x.draft.join(n.entry, next)
	default:
		x.ways = append(x.ways, way{
			from: n.entry, to: next, target: neighbour.message.ID, gap: crossed,
			reason: Reason{
				Kind: ReasonTemporal, Round: x.draft.round, From: x.entries[n.entry].message.ID,
				Probability: 1, Gap: crossed,
			},
		})
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
