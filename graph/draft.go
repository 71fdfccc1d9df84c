package graph

import "time"

// draft is the graph under construction: its messages, how they are connected, and
// where walking ended.
type draft struct {
	*line
	round   int
	nodes   []node   // the trigger first, then in the order of their admission
	reasons []Reason // the first reason of each node
	joints  []joint
	seals   []Seal
	refused []way // ways to messages that did not fit
}

// node is a message in the graph.
type node struct {
	entry   int
	reasons []Reason
	// closed reports by Direction which sides need no more walking, because they are
	// sealed or lead to another node.
	closed     [2]bool
	background bool
	rank       int // by Position, once the graph is done
}

// joint connects two nodes that stand next to each other, both given as entries.
type joint struct {
	older, newer int
	gap          time.Duration
}

// newDraft returns a draft that holds the trigger alone.
func newDraft(l *line) *draft {
	most := l.options.MaxTotal + 1
	d := &draft{
		line:    l,
		nodes:   l.memory.nodes[:0],
		reasons: make([]Reason, 0, most),
		joints:  l.memory.joints[:0],
	}
	d.place(0, Reason{})
	d.nodes[0].closed[Newer] = true
	return d
}

// room returns the number of messages that may still be admitted.
func (d *draft) room() int { return d.options.MaxTotal + 1 - len(d.nodes) }

// place makes an entry a node.
func (d *draft) place(at int, reason Reason) {
	d.entries[at].node = len(d.nodes)
	d.reasons = append(d.reasons, reason)
	end := len(d.reasons)
	d.nodes = append(d.nodes, node{entry: at, reasons: d.reasons[end-1 : end : end]})
}

// join closes the facing sides of two nodes that stand next to each other.
func (d *draft) join(a, b int) {
	older, newer := a, b
	if d.entries[a].message.Position().Compare(d.entries[b].message.Position()) > 0 {
		older, newer = b, a
	}
	d.nodes[d.entries[older].node].closed[Newer] = true
	d.nodes[d.entries[newer].node].closed[Older] = true
	d.joints = append(d.joints, joint{
		older: older, newer: newer, gap: d.gapBetween(newer, older, Older),
	})
}

// seal closes a side of a node for good. It fills in the place and time of the seal.
func (d *draft) seal(n *node, direction Direction, s Seal) {
	n.closed[direction] = true
	m := d.entries[n.entry].message
	s.At, s.Channel, s.Direction, s.Round = m.ID, m.Channel, direction, d.round
	d.seals = append(d.seals, s)
}

// closeAll seals the sides that a full graph left open, and joins neighbours that were
// admitted last.
func (d *draft) closeAll() {
	for i := range d.nodes {
		d.closeSide(&d.nodes[i], Older)
		d.closeSide(&d.nodes[i], Newer)
	}
}

// closeSide seals one side of a node, unless it is closed already. If its neighbour on
// that side is in the graph and near enough, closeSide joins the two instead.
func (d *draft) closeSide(n *node, direction Direction) {
	if n.closed[direction] {
		return
	}
	s := Seal{Why: SealBudget}
	if next := d.entries[n.entry].beside[direction]; next >= 0 {
		crossed := d.gapBetween(n.entry, next, direction)
		if d.entries[next].node != notInGraph && crossed <= d.longest {
			d.join(n.entry, next)
			return
		}
		s.Beyond = d.entries[next].message.ID
	}
	d.seal(n, direction, s)
}

// joinBeside joins a node with the one that stands next to it.
func (d *draft) joinBeside(n *node) {
	older := d.entries[n.entry].beside[Older]
	if older >= 0 && d.entries[older].node != notInGraph {
		d.join(n.entry, older)
	}
}

// sealBeside records why no further message was taken on a side of a node. If more of
// the conversation follows on that side, the walk only passed over other messages, and
// there is no seal.
func (d *draft) sealBeside(n *node, direction Direction) {
	if n.closed[direction] {
		return
	}
	next := d.entries[n.entry].beside[direction]
	if next < 0 {
		d.seal(n, direction, Seal{Why: sealReason(next)})
		return
	}
	s := Seal{Why: SealAffinity, Beyond: d.entries[next].message.ID}
	switch {
	case d.crowdedOut(next):
		s.Why = SealBudget
	case !d.entries[next].considered:
		s.Why = SealBudget
		if crossed := d.gapBetween(n.entry, next, direction); crossed > d.longest {
			s.Why, s.Gap = SealGap, crossed
		}
	}
	for at := next; at >= 0 && d.entries[at].considered; at = d.entries[at].beside[direction] {
		if d.entries[at].node != notInGraph {
			n.closed[direction] = true
			return
		}
	}
	d.seal(n, direction, s)
}

// crowdedOut reports whether an entry more likely than not belongs to the conversation
// and was left out because MaxTotal was reached.
func (d *draft) crowdedOut(at int) bool {
	e := &d.entries[at]
	return e.considered && e.node == notInGraph && e.probability > 0.5 && d.admitted() >= d.options.MaxTotal
}

// admitted returns the number of messages of the conversation so far.
func (d *draft) admitted() int {
	n := -1 // the trigger
	for i := range d.nodes {
		if !d.nodes[i].background {
			n++
		}
	}
	return n
}

// addBeside puts an entry into the background unless it is in the graph.
func (d *draft) addBeside(at int, reason Reason) {
	if d.entries[at].node != notInGraph {
		return
	}
	d.place(at, reason)
	d.nodes[len(d.nodes)-1].background = true
}
