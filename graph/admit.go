package graph

import (
	"slices"
	"unicode/utf8"
)

// admission decides what of a draft is sent, as an affinity judged.
type admission struct {
	*line
	draft      *draft
	references *references
	judging    *judging
}

// admit admits what most likely belongs to the conversation, best first, and the rest of
// what is sent as background.
func (x *admission) admit() {
	for i := range x.draft.nodes[1:] {
		x.draft.nodes[i+1].place = leftOut
	}
	places := x.places()
	for _, at := range x.choose(places) {
		x.draft.nodes[x.entries[at].node].place = inConversation
	}
	for _, at := range places {
		if admitted(x.draft.nodes) < x.options.MaxTotal {
			x.draft.nodes[x.entries[at].node].place = inConversation
			x.entries[at].probability = 1
		}
	}
	x.addBackground()
	x.askReader()
}

// choose returns the entries that belong to the conversation. If the places would not fit
// beside them, it leaves room for these, and what gives way is background.
func (x *admission) choose(places []int) []int {
	j := x.judging
	p := make([]float64, len(j.exploration.explored)-1) // of what was reached
	for number, at := range j.exploration.explored[:len(p)] {
		if n := x.entries[at].node; n != notInGraph && x.draft.spreads(&x.draft.nodes[n]) {
			p[number] = x.entries[at].probability
		}
	}
	choice := cut{
		recall: recallWeight, nothing: nothingRight, room: x.options.MaxTotal,
		length: x.lengths(), refers: j.belief.refers(),
	}
	if x.entries[0].message.AsksNothing() { // then it refers to what was said before
		choice.recall, choice.nothing = unasked*choice.recall, 0
	}
	chosen := x.chosenBy(&choice, p)
	missing := slices.DeleteFunc(slices.Clone(places), func(at int) bool { return slices.Contains(chosen, at) })
	if len(chosen)+len(missing) <= choice.room {
		return chosen
	}
	for _, at := range chosen {
		x.draft.nodes[x.entries[at].node].place = inBackground
	}
	choice.room = min(choice.room, max(choice.chain(), choice.room-len(missing)))
	return x.chosenBy(&choice, p)
}

func (x *admission) chosenBy(choice *cut, p []float64) []int {
	var entries []int
	for _, number := range choice.choose(p, x.judging.suppositions) {
		if at := x.judging.exploration.explored[number]; x.entries[at].node != notInGraph {
			entries = append(entries, at)
		}
	}
	return entries
}

// recallWeight weighs precision a little more than recall. The newest of the messages that
// are left out are still sent as background; docs/context-quality.md has the figures.
const recallWeight = 0.8

// unasked multiplies the weight of recall if the trigger asks nothing. Then nothing
// shows which of the newest messages matter.
const unasked = 4

// nothingRight is the value of an empty conversation for a trigger that begins a talk,
// where a whole conversation is worth 1. It is small, as an answer that knows too
// little is worse than one that knows too much. docs/context-quality.md has the
// figures.
const nothingRight = 0.03

// lengths returns the length of every explored message, divided by the mean length of
// the trigger and the messages right before it.
func (x *admission) lengths() []float64 {
	lengths := make([]float64, len(x.judging.exploration.explored))
	for number, at := range x.judging.exploration.explored {
		lengths[number] = float64(utf8.RuneCountInString(x.entries[at].message.Text))
	}
	total := lengths[len(lengths)-1]
	for _, at := range x.judging.exploration.recent {
		total += lengths[x.entries[at].number]
	}
	return overMean(lengths, total/float64(1+len(x.judging.exploration.recent)))
}

// places returns the entries that are in the conversation because of where it takes
// place: the thread's starter, the seeds that point at it, and what these refer to. The
// affinity judges none of them.
func (x *admission) places() []int {
	var places []int
	for i := range x.draft.nodes {
		if at := x.draft.nodes[i].entry; x.entries[at].seed && x.pointsAtStarter(at) {
			places = append(places, at)
		}
	}
	pointers := len(places)
	for i := range x.references.all {
		r := &x.references.all[i]
		points := r.from == 0 || slices.Contains(places[:pointers], r.from)
		if points && r.kind == ReferenceStarter && x.references.resolve(r) && !slices.Contains(places, r.to) {
			places = append(places, r.to)
		}
	}
	for k := 0; k < len(places); k++ {
		for i := range x.references.all {
			if r := &x.references.all[i]; r.from == places[k] && r.kind != ReferenceStarter && x.references.resolve(r) && !slices.Contains(places, r.to) {
				places = append(places, r.to)
			}
		}
	}
	return slices.DeleteFunc(places, func(at int) bool { return x.entries[at].node == notInGraph })
}

// addBackground adds what is sent whether it belongs to the conversation or not: the
// nearest messages, those around what the trigger refers to, and those that it may need.
// Then it adds, within MaxTotal, the messages around other targets.
func (x *admission) addBackground() {
	sent := admitted(x.draft.nodes)
	seeds := nearest
	if x.entries[0].message.AsksNothing() {
		seeds = x.options.MinLinear
	}
	for at := x.entries[0].beside[Older]; seeds > 0 && at >= 0 && x.entries[at].seed; at = x.entries[at].beside[Older] {
		x.beside(at, Reason{})
		seeds--
	}
	for step := range keptAround {
		for _, at := range x.references.asks() {
			x.addNeighbours(at, step+1)
		}
	}
	x.addNeeded()
	for step := range keptAround {
		for _, at := range x.judging.exploration.targets {
			if x.draft.nodes[x.entries[at].node].place == inConversation && x.sentCount()-sent+1 < x.options.MaxTotal {
				x.addNeighbours(at, step+1)
			}
		}
	}
}

// sentCount returns the number of messages that are sent so far.
func (x *admission) sentCount() int {
	n := -1
	for i := range x.draft.nodes {
		if x.draft.nodes[i].place != leftOut {
			n++
		}
	}
	return n
}

// beside puts an entry into the background unless it is sent already. The reason is for an
// entry that was not reached.
func (x *admission) beside(at int, reason Reason) {
	if x.entries[at].node == notInGraph {
		x.draft.place(at, reason).place = leftOut
	}
	if n := &x.draft.nodes[x.entries[at].node]; n.place == leftOut {
		n.place = inBackground
	}
}

// addNeighbours adds the messages within so many steps of an entry, on both sides, as
// far as no gap exceeds the threshold.
func (x *admission) addNeighbours(at, steps int) {
	for _, direction := range [...]Direction{Older, Newer} {
		next, from := at, at
		for range steps {
			from = next
			next = x.entries[from].beside[direction]
			if next <= 0 || x.gapBetween(from, next, direction) > x.longest {
				next = notInGraph
				break
			}
		}
		if next > 0 {
			x.beside(next, Reason{
				Kind: ReasonTemporal, Round: steps, From: x.entries[from].message.ID,
				Probability: 1, Gap: x.gapBetween(from, next, direction),
			})
		}
	}
}
