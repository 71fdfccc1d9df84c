package graph

import (
	"math"
	"slices"
	"time"
)

// turns say how well the author of each message fits the conversations that it may belong
// to. The affinity judges each message by itself. If nobody is addressed, a message may
// then seem to belong to either of two conversations, and both would be taken. But people
// take turns: the speaker before the last one is the most likely to speak next, in
// conversations of all kinds.
type turns struct {
	matter    bool    // if not, every speaker fits
	speakers  []int16 // by message: the number of its author
	known     []int   // by message: how many people spoke before it
	pauses    []int32 // by message: how many pauses of the channel lie before it
	next      [turnPeople + 1][turnPeople + 1]float64
	strange   []float64 // by the number of people outside of a conversation: the probability of each
	comesBack float64   // the probability that a conversation continues after a pause of the channel
}

const (
	turnPeople = 6  // the people of a conversation that are distinguished by when they last spoke
	turnHeld   = 12 // the people of a conversation that are remembered
)

// nextSpeaker holds the probabilities of the next speaker, by the number of people in a
// talk so far: first of somebody new, then of the last speaker, then of the one before,
// and so on. They were counted in the 153 annotated logs of irc-ubuntu/train. Those of
// irc-linux, mediawiki and PyScript differ by a few hundredths.
var nextSpeaker = [turnPeople + 1][turnPeople + 1]float64{ //nolint:gochecknoglobals // a table
	{1},
	{0.54, 0.46},
	{0.16, 0.31, 0.53},
	{0.12, 0.28, 0.39, 0.21},
	{0.09, 0.28, 0.35, 0.18, 0.10},
	{0.08, 0.25, 0.33, 0.18, 0.11, 0.05},
	{0.06, 0.24, 0.30, 0.17, 0.11, 0.06, 0.06},
}

// comesBack is the probability, as far as turns are concerned, that a message belongs
// to a conversation from before a pause of the channel. Values below 0.02 make no difference.
const comesBack = 0.02

// talk holds the speakers of a conversation, the last one first.
type talk struct {
	people int16
	order  [turnHeld]int16
	pauses int32 // of the channel, before the conversation's newest message
}

// These constants set the weight of turns. docs/decisions/turns.md has the figures.
const (
	// mostPointed is the share of messages that address somebody or refer to something at
	// which turns stop counting, as the affinity then knows better.
	mostPointed = 0.15
	// halfTurns is the number of messages among which turns count half. Over many
	// messages, small errors add up.
	halfTurns = 100
)

// turnWeight returns how much turns count, from 0 to 1: most in small channels in which
// nobody is addressed.
func (x *expansion) turnWeight() float64 {
	bots := map[UserID]bool{} // a message that calls one addresses nobody else
	for _, at := range x.recent {
		if m := x.entries[at].message; m.isBots() {
			bots[m.Author] = true
		}
	}
	said, pointed := 0, 0
	for _, at := range x.recent {
		m := x.entries[at].message
		if m.isBots() {
			continue
		}
		said++
		if slices.ContainsFunc(m.References, func(r Reference) bool { return r.answers() || r.Kind == ReferenceAddress && !bots[r.User] }) {
			pointed++
		}
	}
	share := float64(pointed) / float64(max(said, 1))
	return (1 - share/mostPointed) * (1 - float64(min(said, halfTurns))/(2*halfTurns))
}

// spoken is the author and time of a message.
type spoken struct {
	author UserID
	time   time.Time
}

// newTurns returns the turns of messages, oldest first. longest is the gap after which it
// is nobody's turn. weight is how much turns count, from 0, where every speaker fits, to 1.
func newTurns(said []spoken, longest time.Duration, weight float64) *turns {
	n := len(said)
	t := &turns{matter: weight > 0, speakers: make([]int16, n), known: make([]int, n), pauses: make([]int32, n), comesBack: math.Pow(comesBack, weight)}
	var people []UserID
	for j, s := range said {
		t.known[j] = len(people)
		if j > 0 {
			t.pauses[j] = t.pauses[j-1]
			if s.time.Sub(said[j-1].time) > longest {
				t.pauses[j]++
			}
		}
		at := slices.Index(people, s.author)
		if at < 0 {
			at = len(people)
			people = append(people, s.author)
		}
		t.speakers[j] = int16(at) //nolint:gosec // there are fewer messages
	}
	for n := range t.next {
		for k := range t.next[n] {
			t.next[n][k] = math.Pow(nextSpeaker[n][k], weight)
		}
	}
	for n := range len(people) + 1 {
		t.strange = append(t.strange, math.Pow(1/float64(n+1), weight))
	}
	return t
}

// idle reports whether the channel paused between a conversation and message j, so that it is
// nobody's turn.
func (t *turns) idle(j int, o *talk) bool { return t.pauses[j] > o.pauses }

// speak adds message j to a conversation.
func (t *turns) speak(j int, o *talk) {
	if t.idle(j, o) {
		o.people = 0
	}
	who := t.speakers[j]
	o.pauses = t.pauses[j]
	held := o.order[:min(o.people, turnHeld)]
	at := slices.Index(held, who)
	if at < 0 {
		o.people++
		held = o.order[:min(o.people, turnHeld)]
		at = len(held) - 1
	}
	copy(held[1:at+1], held[:at])
	held[0] = who
}

// fits returns how well the speaker of message j fits the turns of a conversation.
func (t *turns) fits(j int, o *talk) float64 {
	if t.idle(j, o) { // conversations rarely continue after a pause, and then it is nobody's turn
		return float64(t.comesBack * t.strange[t.known[j]])
	}
	n := min(int(o.people), turnPeople)
	if at := slices.Index(o.order[:min(o.people, turnHeld)], t.speakers[j]); at >= 0 {
		return t.next[n][min(at+1, turnPeople)]
	}
	return float64(t.next[n][0] * t.strange[max(t.known[j]-int(o.people), 0)])
}
