package graph

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// These constants decide what is sent beside the conversation because the trigger may need
// it. docs/context-quality.md has the figures.
const (
	// leastWorth is the least probability of being needed for each character of a message
	// that is sent.
	leastWorth = 7.5e-6
	// framed is the number of characters that a message takes beside its text.
	framed = 150
	// surely is the probability of being needed that the likeliest message of a question
	// about earlier messages usually has. If even that one is less likely, the question may
	// need nothing, and everything counts less.
	surely = 0.8
)

// addNeeded adds to the background what the trigger may need, the likeliest first: whatever
// is worth its length, up to the characters that Background leaves beside the rest.
func (x *admission) addNeeded() {
	room, likeliest := x.options.Background, 0.0
	var others []int
	for _, at := range x.judging.exploration.explored {
		e := &x.entries[at]
		likeliest = max(likeliest, e.needed)
		switch {
		case e.node == notInGraph || x.draft.nodes[e.node].place == leftOut:
			others = append(others, at)
		case x.draft.nodes[e.node].place == inBackground:
			room -= x.length(at)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(x.entries[b].needed, x.entries[a].needed) })
	sure := min(1, likeliest/surely)
	for _, at := range others {
		needed := x.entries[at].needed
		if length := x.length(at); length <= room && needed*sure*sure >= leastWorth*float64(length+framed) {
			room -= length
			x.besideFor(at, Reason{Kind: ReasonNeeded, Round: 1, Probability: needed})
		}
	}
}

// besideFor puts an entry into the background unless it is sent already, and adds the reason.
func (x *admission) besideFor(at int, reason Reason) {
	reached := x.entries[at].node != notInGraph
	x.beside(at, reason)
	if n := &x.draft.nodes[x.entries[at].node]; reached {
		n.reasons = append(n.reasons, reason)
	}
}

// length returns the number of characters of a message.
func (x *admission) length(at int) int {
	return utf8.RuneCountInString(x.entries[at].message.Text)
}
