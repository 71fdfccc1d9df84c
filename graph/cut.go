package graph

import (
	"cmp"
	"slices"
)

// cut decides which messages belong to the conversation. Messages are numbered oldest
// first; the trigger has the number after the last.
type cut struct {
	// recall is the square of the F-measure's β, which weighs recall against precision: 1
	// weighs them alike, and more takes more messages.
	recall float64
	// nothing is the value of an empty conversation if no message belongs to it, where
	// a whole conversation is worth 1.
	nothing float64
	room    int       // MaxTotal
	length  []float64 // of each message, in units of the mean
	refers  [][]int   // by number: what each message, and the trigger, certainly answers
}

// lengthShare is how much the length of an uncertain message counts. A long message of
// another talk costs attention and tokens, so it has to be likelier to belong.
// docs/context-quality.md has the figures.
const lengthShare = 0.3

// takes returns the weight of message i in the F-measure's precision: on average 1, and
// 1 for a certain message whatever its length.
func (c *cut) takes(i int, p float64) float64 {
	return 1 + lengthShare*(1-p)*(c.length[i]-1)
}

// overMean returns lengths divided by mean, or 1 for each if mean is zero.
func overMean(lengths []float64, mean float64) []float64 {
	over := make([]float64, len(lengths))
	for i, length := range lengths {
		over[i] = 1
		if mean > 0 {
			over[i] = length / mean
		}
	}
	return over
}

// choose returns the numbers of the messages that belong, oldest first. The chain of
// references from the trigger comes first, as far as there is room. The others follow
// in the order of their probability per weight, each together with everything that it
// refers to. As many are taken as maximise the expected F-measure over all
// suppositions, or none at all if that is expected to be better.
func (c *cut) choose(p []float64, suppositions []supposition) []int {
	s := sequence{cut: c, taken: make([]bool, len(p))}
	s.follow(len(p))
	chosen, best := len(s.order), c.expectNothing(suppositions)
	for _, i := range byWorth(c, p) {
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

// expectNothing returns the expected F-measure of an empty conversation, on the scale
// of expect.
func (c *cut) expectNothing(suppositions []supposition) float64 {
	alone := 0.0 // the probability that nothing belongs
	for _, s := range suppositions {
		if !slices.ContainsFunc(s.together, func(q float64) bool { return q > 0 }) {
			alone += s.probability
		}
	}
	return c.nothing * alone / (1 + c.recall)
}

// chain returns the number of messages that the chain of references from the trigger
// takes.
func (c *cut) chain() int {
	s := sequence{cut: c, taken: make([]bool, len(c.length)-1)}
	s.follow(len(s.taken))
	return len(s.order)
}

// byWorth returns the numbers of what may belong, ordered by probability per weight, the
// highest first. Of equals the newest comes first.
func byWorth(c *cut, p []float64) []int {
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
	return order
}

// sequence is the order in which messages are taken. It may be cut off only at one of
// its ends.
type sequence struct {
	*cut
	order []int
	taken []bool
	ends  []int // the lengths at which order may be cut: no message before lacks what it refers to
}

// follow takes what the message with a number refers to, and so on, the nearest first,
// as far as there is room.
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
// where right is how much of what is taken belongs, size is how much belongs at all, and β²
// is recall. The constant factor 1+β² is left out, so the values are only comparable with
// each other. Taking the best prefix of the messages by their probability is the usual way
// to maximise an expected F-measure (Lewis, SIGIR 1995).
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
