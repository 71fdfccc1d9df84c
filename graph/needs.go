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
	leastWorth = 8e-6
	// framed is the number of characters that a message takes beside its text.
	framed = 150
	// clearly are the odds that a question needs any message, from which on it is clear. The
	// smaller the odds, the less everything counts.
	clearly = 40
	// sharedNeed is the share of a message's need that a message takes over which surely
	// answers it, or which it surely answers.
	sharedNeed = 0.4
	// leastShared is the probability of being needed from which on a message shares it.
	leastShared = 0.02
	// surely is the probability of being needed from which on a message surely is.
	surely = 0.8
)

// addNeeded adds to the background what the trigger may need, the likeliest first: whatever
// is worth its length, up to the characters that Background leaves beside the rest.
func (x *admission) addNeeded() {
	room := x.options.Background
	var others []int
	for _, at := range x.judging.exploration.explored {
		e := &x.entries[at]
		switch {
		case e.node == notInGraph || x.draft.nodes[e.node].place == leftOut:
			others = append(others, at)
		case x.draft.nodes[e.node].place == inBackground:
			room -= x.length(at)
		}
	}
	x.shareNeeds()
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(x.entries[b].needed, x.entries[a].needed) })
	asks := min(1, x.judging.asks/clearly)
	for _, at := range others {
		needed := x.entries[at].needed
		if length := x.length(at); length <= room && needed*asks >= leastWorth*float64(length+framed) {
			room -= length
			x.besideFor(at, Reason{Kind: ReasonNeeded, Round: 1, Probability: needed})
		}
	}
}

// shareNeeds has messages that are linked share what they are needed for, as a line that is
// needed is seldom understood without the talk around it.
func (x *admission) shareNeeds() {
	explored := x.judging.exploration.explored
	shared := make([]float64, len(explored))
	for number, at := range explored {
		if needed := x.entries[at].needed; needed >= leastShared {
			shared[number] = needed
		}
	}
	for number, at := range explored[:len(explored)-1] {
		for older, link := range x.judging.belief.row(number) {
			share := sharedNeed * float64(link)
			answers, answered := &x.entries[at], &x.entries[explored[older]]
			answers.needed = max(answers.needed, share*shared[older])
			answered.needed = max(answered.needed, share*shared[number])
		}
	}
}

// Sure reports whether the trigger surely needs a message that was judged. Then it hardly
// asks about what was said before these.
func (g *Graph) Sure() bool {
	for _, judged := range [][]Node{g.Conversation, g.Background, g.Explored} {
		if slices.ContainsFunc(judged, func(n Node) bool { return n.Needed >= surely }) {
			return true
		}
	}
	return false
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
