package graph

import "slices"

// Reader reads the newest messages before a trigger, oldest first, and chooses what the
// trigger needs of them. doubt is the number of characters that the affinity would send
// beside what is sent in any case: it sends more, the less sure it is, so where there are
// few, a Reader has little to add. If it does not read it reports false, and the affinity's
// choice stands.
type Reader func(trigger *Message, lines []*Message, doubt int) (choice Choice, read bool)

// Choice is what a Reader chose of the messages that it was given, which are lines to it.
type Choice struct {
	By     string // who read
	Needed []bool // by line: the trigger needs it to be answered
	Talk   []bool // by line: it belongs to the trigger's conversation
	// Earlier reports whether the trigger also needs what was said before the first line.
	Earlier bool
}

const (
	// mostLines is the greatest number of messages that a Reader is given.
	mostLines = 100
	// nearest is the number of newest messages that are sent whatever the trigger needs. Other
	// seeds are judged like any message.
	nearest = 3
)

// askReader lets a reader choose of the newest messages, in place of the affinity.
func (x *admission) askReader() {
	if x.options.Reader == nil {
		return
	}
	entries := slices.Clone(x.judging.exploration.recent[:min(len(x.judging.exploration.recent), mostLines)])
	slices.Reverse(entries)
	lines := make([]*Message, len(entries))
	for i, at := range entries {
		lines[i] = x.entries[at].message
	}
	stays := x.staying()
	choice, read := x.options.Reader(x.entries[0].message, lines, x.doubt(stays))
	if read && len(choice.Needed) == len(lines) && len(choice.Talk) == len(lines) {
		x.draft.choice = &choice
		x.apply(&choice, entries, stays)
	}
}

// doubt returns the number of characters that are sent, other than of seeds and of what stays.
func (x *admission) doubt(stays map[int]bool) int {
	doubt := 0
	for i := range x.draft.nodes[1:] {
		if n := &x.draft.nodes[i+1]; n.place != leftOut && !x.entries[n.entry].seed && !stays[n.entry] {
			doubt += x.length(n.entry)
		}
	}
	return doubt
}

// apply makes a choice what is sent of the entries that were read, besides what is sent in
// any case: the nearest messages, what the trigger refers to, and heddle's own messages. The
// newest come first, within MaxTotal and Background. Of what nobody read, the messages
// around those that the trigger refers to are sent.
func (x *admission) apply(choice *Choice, entries []int, stays map[int]bool) {
	for i := range x.draft.nodes[1:] {
		if n := &x.draft.nodes[i+1]; !stays[n.entry] {
			n.place = leftOut
		}
	}
	for _, at := range x.references.asks() {
		for step := range keptAround {
			if !slices.Contains(entries, at) {
				x.addNeighbours(at, step+1)
			}
		}
	}
	room := x.options.Background
	for i, at := range slices.Backward(entries) {
		near := x.entries[at].seed && i >= len(entries)-nearest
		if stays[at] || !choice.Needed[i] && !near {
			continue
		}
		talk := choice.Talk[i] && admitted(x.draft.nodes) < x.options.MaxTotal
		if !talk {
			if !near && x.length(at) > room {
				continue
			}
			room -= x.length(at)
		}
		if choice.Needed[i] {
			x.besideFor(at, Reason{Kind: ReasonRead, Round: 1, Probability: 1, By: choice.By})
		}
		if n := &x.draft.nodes[x.entries[at].node]; talk {
			n.place = inConversation
		} else {
			n.place = inBackground
		}
	}
}

// staying returns the entries whose place no choice changes.
func (x *admission) staying() map[int]bool {
	stays := make(map[int]bool)
	for _, at := range x.places() {
		stays[at] = true
	}
	refers := x.judging.belief.refers()
	for level := []int{len(refers) - 1}; len(level) > 0; level = level[1:] {
		for _, number := range refers[level[0]] {
			if at := x.judging.exploration.explored[number]; !stays[at] {
				stays[at] = true
				level = append(level, number)
			}
		}
	}
	for i := range x.draft.nodes {
		if n := &x.draft.nodes[i]; n.place != leftOut && x.entries[n.entry].message.Origin == OriginSelf {
			stays[n.entry] = true
		}
	}
	return stays
}
