package graph

import (
	"math"
	"slices"
	"time"
)

// turns make the choices of what messages answer depend on each other. The affinity
// judges each message by itself. If nobody is addressed, a message may then seem to
// belong to either of two talks, and both would be taken. But people take turns: in
// talks of all kinds, whoever spoke before the last speaker is the most likely to speak
// next. Draws in which the speakers of all messages take turns in that way therefore
// weigh more.
//
// The draws are the particles of a particle filter (Arulampalam et al., IEEE Transactions
// on Signal Processing 50, 2002): the messages are drawn one after the other, each in
// proportion to its links and to how well its speaker fits, and the draws are resampled
// when few of them carry the weight.
type turns struct {
	weight    float64 // how much turns count, from 0 to 1
	people    int     // for how many people the probabilities below are known
	speakers  []uint8 // by message: the number of its author
	known     []int   // by message: how many people spoke before it
	pauses    []int32 // by message: how many pauses of the channel lie before it
	next      [turnPeople + 1][turnPeople + 1]float64
	strange   [mostSpeakers + 1]float64 // by the number of people outside of a talk: the probability of each
	comesBack float64                   // the probability that a talk goes on after a pause of the channel
	talks     [][draws]talk             // by first message and draw; anything where none begins
	weights   [draws]float64
	likely    []likelyLink
	linked    float64          // the sum of the likely links
	share     [][draws]float64 // by likely link: its share of each draw
	total     [draws]float64   // the sum of share
}

type likelyLink struct {
	to int
	p  float64
}

const (
	turnPeople   = 6   // the people of a talk that are distinguished by when they last spoke
	turnHeld     = 12  // the people of a talk that are remembered
	mostSpeakers = 255 // the people who are distinguished
)

// nextSpeaker holds the probabilities of who speaks next, by the number of people in a
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
// to a talk from before a pause of the channel. Values below 0.02 make no difference.
const comesBack = 0.02

// turnOrder holds the speakers of a talk, the last one first.
type turnOrder struct {
	people uint8
	order  [turnHeld]uint8
	pauses int32 // of the channel, before the talk's newest message
}

// talk is a talk of one draw.
type talk struct {
	turnOrder

	fitted int32 // 1 + the number of the message that fit is for
	fit    float64
}

// speak records that message j is the next one of a talk.
func (t *turns) speak(j int, o *turnOrder) {
	if t.idle(j, o) {
		o.people = 0
	}
	who := t.speakers[j]
	o.pauses = t.pauses[j]
	held := o.order[:min(o.people, turnHeld)]
	at := slices.Index(held, who)
	if at < 0 {
		o.people = min(o.people+1, mostSpeakers-1)
		held = o.order[:min(o.people, turnHeld)]
		at = len(held) - 1
	}
	copy(held[1:at+1], held[:at])
	held[0] = who
}

// beginTurns prepares the drawing of turns.
func (b *belief) beginTurns(said []spoken, longest time.Duration, weight float64) {
	b.forests.begin(b.size)
	b.turns.begin(said, longest, weight)
}

// drawTurns draws the turns of the messages from number from on. It returns the
// messages that are connected with the last one in forests whose speakers take turns.
func (b *belief) drawTurns(from int) []supposition {
	for j := from; j < b.size; j++ {
		b.turns.draw(b, j)
	}
	return b.drawn(func(draw int) float64 { return b.turns.weights[draw] })
}

// These constants decide how much turns count. docs/decisions/turns.md has the figures.
const (
	// mostPointed is the share of messages that address somebody or refer to something
	// from which on turns count nothing, as the affinity then knows better.
	mostPointed = 0.15
	// halfTurns is the number of messages among which turns count half. Over many
	// messages, small errors add up.
	halfTurns = 100
)

// turnWeight returns how much turns count, from 0 to 1: most in small channels in which
// nobody is addressed.
func (w *weighing) turnWeight() float64 {
	bots := map[UserID]bool{} // a message that calls one addresses nobody else
	for _, at := range w.exploration.recent {
		if m := w.entries[at].message; m.isBots() {
			bots[m.Author] = true
		}
	}
	said, pointed := 0, 0
	for _, at := range w.exploration.recent {
		m := w.entries[at].message
		if m.isBots() || w.entries[at].pointer {
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

// isBots reports whether a program wrote m. A webhook does not count, as it may speak
// for a person.
func (m *Message) isBots() bool { return m.Origin == OriginBot || m.Origin == OriginSelf }

// spoken is the author and time of a message.
type spoken struct {
	author UserID
	time   time.Time
}

// begin resets the turns to messages that were said, oldest first. longest is the gap
// after which it is nobody's turn. weight is how much turns count, from 0 to 1.
func (t *turns) begin(said []spoken, longest time.Duration, weight float64) {
	n := len(said)
	t.speakers, t.known, t.pauses = zeroed(t.speakers, n), zeroed(t.known, n), zeroed(t.pauses, n)
	t.talks = slices.Grow(t.talks[:0], n)[:n]
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
		t.speakers[j] = uint8(min(at, mostSpeakers))
	}
	t.weighBy(weight, len(people))
	for d := range t.weights {
		t.weights[d] = 1
	}
}

// weighBy computes the weighted probabilities for so many people, unless they are those of
// the turns before.
func (t *turns) weighBy(weight float64, people int) {
	people = min(people, mostSpeakers)
	if t.weight == weight && people <= t.people {
		return
	}
	t.weight, t.people = weight, people
	for n := range t.next {
		for k := range t.next[n] {
			t.next[n][k] = math.Pow(nextSpeaker[n][k], weight)
		}
	}
	t.comesBack = math.Pow(comesBack, weight)
	for n := range people + 1 {
		t.strange[n] = math.Pow(1/float64(n+1), weight)
	}
}

// idle reports whether the channel paused between a talk and message j, so that it is
// nobody's turn.
func (t *turns) idle(j int, o *turnOrder) bool { return t.pauses[j] > o.pauses }

// fits returns how well the speaker of message j fits the turns of a talk.
func (t *turns) fits(j int, o *turnOrder) float64 {
	if t.idle(j, o) { // talks rarely go on after a pause, and then nobody is the next in turn
		return float64(t.comesBack * t.strange[min(t.known[j], mostSpeakers)])
	}
	n, who := min(int(o.people), turnPeople), t.speakers[j]
	for at, held := range o.order[:min(o.people, turnHeld)] {
		if held == who {
			return t.next[n][min(at+1, turnPeople)]
		}
	}
	outside := min(max(t.known[j]-int(o.people), 0), mostSpeakers)
	return float64(t.next[n][0] * t.strange[outside])
}

// draw draws what message j of a belief answers in every forest. The better its speaker
// fits, the likelier a link is drawn, and the more the forest weighs.
func (t *turns) draw(b *belief, j int) {
	none := t.weigh(b, j)
	roots, order := b.forests.roots, &b.forests.orders[b.size-1-j]
	for d := range draws {
		total := t.total[d]
		if t.linked > 0 {
			total += float64(none * total / t.linked) // the beginning of a talk fits as well as the links do on average
		} else {
			total = 1
		}
		root, reached := int32(j), 0.0 //nolint:gosec // there are fewer messages
		place := float64((float64(order[d]) + 0.5) / draws * total)
		for k := range t.likely {
			if reached += t.share[k][d]; place < reached {
				root = roots[t.likely[k].to][d]
				break
			}
		}
		roots[j][d] = root
		if int(root) == j {
			t.talks[root][d] = talk{}
		}
		t.speak(j, &t.talks[root][d].turnOrder)
		t.weights[d] *= total
	}
	t.resample(b, j)
}

// weigh computes the shares of every likely link of message j, and their sums. It
// returns the probability that the message answers nothing.
func (t *turns) weigh(b *belief, j int) (none float64) {
	t.likely, t.linked, none = t.likely[:0], 0, 1
	for i, p := range slices.Backward(b.row(j)) {
		none -= float64(p)
		if p > negligible {
			t.likely = append(t.likely, likelyLink{i, float64(p)})
			t.linked += float64(p)
		}
	}
	t.share = slices.Grow(t.share[:0], len(t.likely))[:len(t.likely)]
	t.total = [draws]float64{}
	for k, link := range t.likely {
		if share := &t.share[k]; b.settled[j] {
			t.take(share, link.p)
		} else {
			t.takeFitting(share, link.p, j, &b.forests.roots[link.to])
		}
	}
	return max(0, none)
}

// take assigns a link the same share of every draw.
func (t *turns) take(share *[draws]float64, p float64) {
	for d := range draws {
		share[d] = p
		t.total[d] += p
	}
}

// takeFitting sets the share of each draw that a link of message j has, to a message
// with these roots. The better the speaker fits, the greater the share.
func (t *turns) takeFitting(share *[draws]float64, p float64, j int, roots *[draws]int32) {
	stamp, talks := int32(j)+1, t.talks //nolint:gosec // there are fewer messages
	for d, root := range roots {
		talk := &talks[root][d]
		if talk.fitted != stamp {
			talk.fitted, talk.fit = stamp, t.fits(j, &talk.turnOrder)
		}
		share[d] = float64(p * talk.fit)
		t.total[d] += share[d]
	}
}

// resample draws the forests again in proportion to their weights w, evenly (systematic
// resampling, Kitagawa 1996), once their effective number (Σ w)² / Σ w² is below half of
// draws. It also scales the weights to the sum of 1.
func (t *turns) resample(b *belief, j int) {
	sum, squares := 0.0, 0.0
	for _, w := range t.weights {
		sum += w
		squares += float64(w * w)
	}
	if j == b.size-1 || float64(sum*sum) >= float64(squares*draws/2) {
		for d := range t.weights {
			t.weights[d] /= sum
		}
		return
	}
	var from [draws]int
	k, reached := 0, t.weights[0]
	for d := range draws {
		place := (float64(d) + 0.5) / draws * sum
		for reached < place && k < draws-1 {
			k++
			reached += t.weights[k]
		}
		from[d] = k
	}
	for i := range j + 1 {
		t.move(b.forests.roots[i][:], i, &from)
	}
	for d := range t.weights {
		t.weights[d] = 1.0 / draws
	}
}

// move replaces message i of every draw d by that of draw from[d]. from is ascending,
// so that no move overwrites what a later one needs.
func (t *turns) move(roots []int32, i int, from *[draws]int) {
	talks := &t.talks[i]
	for d, k := range from {
		if k > d {
			t.copyDraw(roots, talks, i, d, k)
		}
	}
	for d, k := range slices.Backward(from[:]) {
		if k < d {
			t.copyDraw(roots, talks, i, d, k)
		}
	}
}

// copyDraw copies message i from draw k to draw d. Only the first message of a talk
// holds its speakers.
func (t *turns) copyDraw(roots []int32, talks *[draws]talk, i, d, k int) {
	roots[d] = roots[k]
	if int(roots[k]) == i {
		talks[d] = talks[k]
	}
}
