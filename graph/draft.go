package graph

import (
	"cmp"
	"slices"
	"time"
)

// draft is what was reached so far, and where walking ended.
type draft struct {
	*line
	judged  bool // an affinity decides what belongs to the conversation
	round   int
	nodes   []node // what was reached: the trigger first, then in the order of the rounds
	most    int    // the number of nodes that may be reached
	seals   []Seal
	ways    []way   // of the step in work
	refused []way   // ways to messages that did not fit
	choice  *Choice // in place of the affinity's; nil if nobody read
}

// node is a message that was reached.
type node struct {
	entry   int
	reasons []Reason
	// led reports whether the trigger led here. With an affinity, a seed is there from the
	// beginning, and nothing is reached from it until something leads to it.
	led bool
	// closed reports by Direction which sides need no more walking, because they are
	// sealed or lead to another node.
	closed [2]bool
	place  place
}

// place is where a message stands in the result.
type place uint8

const (
	inConversation place = iota
	inBackground
	leftOut
)

func newDraft(l *line) *draft {
	d := &draft{line: l, judged: l.options.Affinity != nil, most: l.options.MaxTotal + 1}
	d.place(0, Reason{}).closed[Newer] = true
	e := &d.entries[0]
	e.probability, e.seed, e.sealed[Newer] = 1, true, true
	return d
}

// seed places the newest messages before the trigger, whatever the gaps.
func (d *draft) seed() {
	at := 0
	for range d.options.MinLinear {
		at = d.entries[at].beside[Older]
		if at < 0 {
			break
		}
		d.entries[at].seed = true
		n := d.place(at, Reason{Kind: ReasonSeed, Probability: 1})
		n.led = !d.judged || d.pointsAtStarter(at)
		if n.led {
			d.entries[at].probability = 1
		}
	}
	if d.judged {
		d.most += len(d.nodes) - 1 // the trigger's references come before seeds
	}
}

// room returns the number of messages that may still be reached.
func (d *draft) room() int { return d.most - len(d.nodes) }

// otherTalk is the probability of belonging to the trigger's conversation below which a
// message counts as one of another talk. Nothing is reached from it.
const otherTalk = 0.01

// belongs reports whether an entry may belong to the trigger's conversation.
func (d *draft) belongs(at int) bool {
	e := &d.entries[at]
	return e.probability >= otherTalk || d.pointsAtStarter(at)
}

// place makes an entry a node.
func (d *draft) place(at int, reason Reason) *node {
	d.entries[at].node = len(d.nodes)
	d.nodes = append(d.nodes, node{entry: at, reasons: []Reason{reason}, led: true})
	return &d.nodes[len(d.nodes)-1]
}

// spreads reports whether something may be reached from a node.
func (d *draft) spreads(n *node) bool { return n.led && d.belongs(n.entry) }

// parts reports whether the gap between neighbours is too long to walk across. No gap parts
// seeds.
func (d *draft) parts(at, next int, direction Direction) bool {
	return d.gapBetween(at, next, direction) > d.longest && (!d.entries[at].seed || !d.entries[next].seed)
}

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
	return cmp.Or(
		cmp.Compare(a.reason.Kind.order(), b.reason.Kind.order()), cmp.Compare(b.reason.Probability, a.reason.Probability),
		cmp.Compare(a.gap, b.gap), cmp.Compare(b.target, a.target),
		cmp.Compare(b.reason.From, a.reason.From), cmp.Compare(a.reason.Reference, b.reason.Reference),
	)
}

// order is 0 for reasons that are links, and 1 for others.
func (k ReasonKind) order() int {
	if k == ReasonReference || k == ReasonAnswer {
		return 0
	}
	return 1
}

// reach takes the best of a step's ways while there is room, and reports whether it
// reached anything new. A way to a node is one more reason for it, if it tells more.
func (d *draft) reach() (reached bool) {
	slices.SortFunc(d.ways, compareWays)
	for _, w := range d.ways {
		e := &d.entries[w.to]
		switch {
		case e.node != notInGraph:
			n := &d.nodes[e.node]
			if !d.judged || n.tellsMore(&w.reason) {
				n.reasons = append(n.reasons, w.reason)
			}
			reached, n.led = reached || !n.led, true
		case d.room() > 0:
			d.place(w.to, w.reason)
			reached = true
		default:
			e.considered = e.considered || !d.judged
			d.refused = append(d.refused, w)
			continue
		}
		if !d.judged || !e.considered {
			e.probability = max(e.probability, d.entries[w.from].probability*w.reason.Probability)
		}
	}
	return reached
}

// tellsMore reports whether a reason is a reference, or a likelier link than those known. A
// link from a message to what it answers tells no more than any other link.
func (n *node) tellsMore(reason *Reason) bool {
	explicit := reason.Kind == ReasonReference && reason.Reference != ReferenceInferred
	known := func(r Reason) bool {
		return r.links() && (r.Probability >= reason.Probability || reason.Kind == ReasonAnswer)
	}
	return explicit || reason.links() && !slices.ContainsFunc(n.reasons, known)
}

// links reports whether a reason is a reference or a link.
func (r *Reason) links() bool { return r.Kind == ReasonReference || r.Kind == ReasonAnswer }

// way records a way of this round.
func (d *draft) way(from, to int, gap time.Duration, reason Reason) {
	reason.Round, reason.From = d.round, d.entries[from].message.ID
	d.ways = append(d.ways, way{from: from, to: to, target: d.entries[to].message.ID, gap: gap, reason: reason})
}

// seal closes a side of a message for good. It fills in the place and time of the seal.
func (d *draft) seal(at int, direction Direction, s Seal) {
	e := &d.entries[at]
	if e.sealed[direction] {
		return
	}
	e.sealed[direction] = true
	s.At, s.Channel, s.Direction, s.Round = e.message.ID, e.message.Channel, direction, d.round
	d.seals = append(d.seals, s)
}

// admitted returns the number of messages of the conversation so far.
func admitted(nodes []node) int {
	n := -1 // the trigger
	for i := range nodes {
		if nodes[i].place == inConversation {
			n++
		}
	}
	return n
}
