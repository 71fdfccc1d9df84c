package graph

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// selection is what of an expansion is sent.
type selection struct {
	*expansion
	choice *Choice // in place of the affinity's; nil if nobody read
}

// admit admits what most likely belongs to the conversation, and as background what else
// is sent. What belongs because of its place comes after the affinity's choice, as certain.
func (s *selection) admit() {
	for _, at := range s.reached[1:] {
		s.entries[at].place = leftOut
	}
	fixed := s.fixed()
	for _, at := range s.choose(fixed) {
		s.entries[at].place = inConversation
	}
	s.bound()
	for _, at := range fixed {
		if s.count(inConversation) < s.options.MaxTotal {
			s.entries[at].place = inConversation
			s.entries[at].probability = 1
		}
	}
	s.addBackground()
	s.askReader()
}

// count returns the number of messages in these places, without the trigger.
func (s *selection) count(places ...place) int {
	n := -1
	for _, at := range s.reached {
		if slices.Contains(places, s.entries[at].place) {
			n++
		}
	}
	return n
}

// fixed returns the entries that belong because of where the conversation takes place: the
// thread's starter, the seeds that point at it, and what these refer to. The affinity
// judges none of them.
func (s *selection) fixed() []int {
	var fixed []int
	for _, at := range s.reached {
		if s.entries[at].seed && s.pointsAtStarter(at) {
			fixed = append(fixed, at)
		}
	}
	pointers := slices.Concat(fixed, s.askedAbout()) // a link of the trigger leads to a thread's first message
	add := func(r *reference) {
		if s.resolve(r) && !slices.Contains(fixed, r.to) {
			fixed = append(fixed, r.to)
		}
	}
	for i := range s.references {
		if r := &s.references[i]; r.kind == ReferenceStarter && (r.from == 0 || slices.Contains(pointers, r.from)) {
			add(r)
		}
	}
	for k := 0; k < len(fixed); k++ { //nolint:intrange // it grows
		for i := range s.references {
			if r := &s.references[i]; r.from == fixed[k] && r.kind != ReferenceStarter {
				add(r)
			}
		}
	}
	return slices.DeleteFunc(fixed, func(at int) bool { return s.entries[at].place == unreached })
}

const (
	// recallWeight weighs precision a little more than recall. The newest of the messages
	// that are left out are still sent as background; docs/context-quality.md has the
	// figures.
	recallWeight = 0.8
	// unasked multiplies the weight of recall if the trigger asks nothing. Then nothing
	// shows which of the newest messages matter.
	unasked = 4
	// nothingRight is the value of an empty conversation for a trigger that begins one. A
	// whole conversation is worth 1. It is small, as an answer that knows too little is
	// worse than one that knows too much. docs/context-quality.md has the figures.
	nothingRight = 0.03
)

// choose returns the entries that belong to the conversation. If the fixed ones would not
// fit as well, it leaves room for them, and what gives way is background.
func (s *selection) choose(fixed []int) []int {
	p := make([]float64, len(s.explored)-1) // of what was reached
	for number, at := range s.explored[:len(p)] {
		if s.spreads(at) {
			p[number] = s.entries[at].probability
		}
	}
	c := cut{
		recall: recallWeight, nothing: nothingRight, room: s.options.MaxTotal,
		length: s.lengths(), refers: s.belief.refers(),
	}
	if s.entries[0].message.AsksNothing() { // then it refers to earlier messages
		c.recall, c.nothing = unasked*c.recall, 0
	}
	choose := func() (chosen []int) {
		for _, number := range c.choose(p, s.suppositions) {
			if at := s.explored[number]; s.entries[at].place != unreached {
				chosen = append(chosen, at)
			}
		}
		return chosen
	}
	chosen := choose()
	missing := slices.DeleteFunc(slices.Clone(fixed), func(at int) bool { return slices.Contains(chosen, at) })
	if len(chosen)+len(missing) <= c.room {
		return chosen
	}
	for _, at := range chosen {
		s.entries[at].place = inBackground
	}
	c.room = min(c.room, max(c.chain(), c.room-len(missing)))
	return choose()
}

// lengths returns the length of every explored message, divided by the mean length of
// the trigger and the messages right before it, or 1 for each if that is zero.
func (s *selection) lengths() []float64 {
	lengths := make([]float64, len(s.explored))
	for number, at := range s.explored {
		lengths[number] = float64(s.length(at))
	}
	total := lengths[len(lengths)-1]
	for _, at := range s.recent {
		total += lengths[s.entries[at].number]
	}
	mean := total / float64(1+len(s.recent))
	for number := range lengths {
		if mean > 0 {
			lengths[number] /= mean
		} else {
			lengths[number] = 1
		}
	}
	return lengths
}

// length returns the number of characters of a message.
func (s *selection) length(at int) int {
	return utf8.RuneCountInString(s.entries[at].message.Text)
}

// cut decides which messages belong to the conversation. Messages are numbered oldest
// first; the trigger has the number after the last.
type cut struct {
	// recall is the square of the F-measure's β, which weighs recall against precision: 1
	// weighs them alike, and more takes more messages.
	recall float64
	// nothing is the value of an empty conversation if no message belongs to it. A whole
	// conversation is worth 1.
	nothing float64
	room    int       // MaxTotal
	length  []float64 // of each message, in units of the mean
	refers  [][]int   // by number: what each message, and the trigger, certainly answers
}

// lengthShare is how much the length of an uncertain message counts. A long message of
// another conversation costs attention and tokens, so it has to be likelier to belong.
// docs/context-quality.md has the figures.
const lengthShare = 0.3

// takes returns the weight of message i in the F-measure's precision: on average 1, and
// 1 for a certain message whatever its length.
func (c *cut) takes(i int, p float64) float64 {
	return 1 + lengthShare*(1-p)*(c.length[i]-1)
}

// choose returns the numbers of the messages that belong, oldest first. The chain of
// references from the trigger comes first, as far as there is room. The others follow
// in the order of their probability per weight, the newest of equals first, each together
// with everything that it refers to. As many are taken as maximise the expected F-measure
// over all suppositions, or none at all if that is expected to be better.
func (c *cut) choose(p []float64, suppositions []supposition) []int {
	s := sequence{cut: c, taken: make([]bool, len(p))}
	s.follow(len(p))
	chosen, best := len(s.order), 0.0
	for _, s := range suppositions { // in which nothing belongs, on the scale of expect
		if !slices.ContainsFunc(s.together, func(q float64) bool { return q > 0 }) {
			best += s.probability
		}
	}
	best = c.nothing * best / (1 + c.recall)
	order, worth := make([]int, 0, len(p)), make([]float64, len(p))
	for i := range p {
		if worth[i] = p[i] / c.takes(i, p[i]); p[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if likelier := cmp.Compare(worth[b], worth[a]); likelier != 0 {
			return likelier
		}
		return cmp.Compare(b, a)
	})
	for _, i := range order {
		s.add(i)
	}
	expected := c.expect(p, s.order, suppositions)
	if chosen > 0 {
		best = expected[chosen-1]
	}
	for _, end := range s.ends {
		if expected[end-1] > best {
			best, chosen = expected[end-1], end
		}
	}
	slices.Sort(s.order[:chosen])
	return s.order[:chosen]
}

// chain returns the number of messages in the chain of references from the trigger.
func (c *cut) chain() int {
	s := sequence{cut: c, taken: make([]bool, len(c.length)-1)}
	s.follow(len(s.taken))
	return len(s.order)
}

// sequence is an order of messages. It may be cut off only at one of its ends.
type sequence struct {
	*cut
	order []int
	taken []bool
	ends  []int // the lengths at which order may be cut: it holds all references of its messages there
}

// follow takes the messages that a message refers to, those that they refer to, and so on,
// the nearest first, as far as there is room.
func (s *sequence) follow(number int) {
	level := []int{number}
	for len(level) > 0 {
		var next []int
		for _, i := range level {
			for _, to := range s.refers[i] {
				if to < len(s.taken) && !s.taken[to] && !slices.Contains(next, to) {
					next = append(next, to)
				}
			}
		}
		slices.SortFunc(next, func(a, b int) int { return cmp.Compare(b, a) })
		next = next[:min(len(next), s.room-len(s.order))]
		for _, i := range next {
			s.taken[i] = true
		}
		s.order = append(s.order, next...)
		level = next
	}
}

// add takes a message with everything that it refers to, if all of it fits.
func (s *sequence) add(i int) {
	if s.taken[i] {
		return
	}
	begin, room := len(s.order), s.room
	s.room = len(s.taken)
	s.taken[i] = true
	s.follow(i)
	s.order, s.room = append(s.order, i), room
	if len(s.order) <= room {
		s.ends = append(s.ends, len(s.order))
		return
	}
	for _, i := range s.order[begin:] {
		s.taken[i] = false
	}
	s.order = s.order[:begin]
}

// expect returns the expected F-measure of the first message, of the first two, and so
// on, in the given order. In a supposition, the F-measure of what is taken is
//
//	F = (1+β²) · right / (taken + β² · size),
//
// where right is the part of what is taken that belongs, size is all that belongs, and β²
// is recall. Without the constant factor 1+β², which is left out, the values are only
// comparable with each other. Taking the best prefix of the messages by their probability
// is the usual way to maximise an expected F-measure (Lewis, SIGIR 1995).
func (c *cut) expect(p []float64, order []int, suppositions []supposition) []float64 {
	expected, takes := make([]float64, len(order)), make([]float64, len(order))
	taken := 0.0
	for k, i := range order {
		taken += c.takes(i, p[i])
		takes[k] = taken
	}
	for _, s := range suppositions {
		size := 0.0 // of the conversation, as far as there is room
		for _, q := range s.together {
			size += q
		}
		size = min(size, float64(c.room))
		right := 0.0
		for k, i := range order {
			right += s.together[i]
			expected[k] += s.probability * min(right, size) / (takes[k] + c.recall*size)
		}
	}
	return expected
}
