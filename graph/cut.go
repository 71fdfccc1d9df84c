package graph

import (
	"cmp"
	"slices"
)

// cut decides which of the messages, best first, belong to the conversation. Messages
// are numbered oldest first; the trigger has the number after the last.
type cut struct {
	// recall weighs recall against precision: 1 weighs them alike, more takes
	// more messages. It is the square of the F-measure's beta.
	recall float64
	// nothing is what an empty conversation is worth where nothing belongs. A whole
	// conversation is worth 1.
	nothing float64
	room    int       // MaxTotal
	length  []float64 // of each message, in units of the mean
	refers  [][]int   // by number: what each message, and the trigger, certainly answers
}

// lengthShare is how much a message's length counts where it is in doubt. A long
// message of another talk takes attention and tokens from what belongs, so it has to
// be likelier. docs/context-quality.md has the figures.
const lengthShare = 0.3

// takes returns what message i takes of the F-measure's precision: 1 on average, and 1
// whatever its length where it is certain.
func (c *cut) takes(i int, p float64) float64 {
	return 1 + lengthShare*(1-p)*(c.length[i]-1)
}

// overMean returns lengths in units of a mean, and 1 for all where that is zero.
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
// references from the trigger comes first, as far as there is room. Of the others it
// takes those with the highest probabilities for what they take, each together with
// everything that it refers to, as many as make the F-measure highest that is
// expected over all suppositions. It takes nothing at all where that is expected to be
// better.
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

// expectNothing returns what is expected of the F-measure if nothing is taken, on the
// scale of expect.
func (c *cut) expectNothing(suppositions []supposition) float64 {
	alone := 0.0 // the probability that nothing belongs
	for _, s := range suppositions {
		if !slices.ContainsFunc(s.together, func(q float64) bool { return q > 0 }) {
			alone += s.probability
		}
	}
	return c.nothing * alone / (1 + c.recall)
}

// chain returns how many messages the chain of references from the trigger takes.
func (c *cut) chain() int {
	s := sequence{cut: c, taken: make([]bool, len(c.length)-1)}
	s.follow(len(s.taken))
	return len(s.order)
}

// byWorth returns the numbers by probability over what each takes, the highest first
// and the newest of equals first.
func byWorth(c *cut, p []float64) []int {
	order := make([]int, len(p))
	for i := range p {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if likelier := cmp.Compare(p[b]/c.takes(b, p[b]), p[a]/c.takes(a, p[a])); likelier != 0 {
			return likelier
		}
		return cmp.Compare(b, a)
	})
	return order
}

// sequence is the order in which messages are taken. It may be cut off at its ends only.
type sequence struct {
	*cut
	order []int
	taken []bool
	ends  []int // lengths of order behind which nothing lacks what it refers to
}

// follow takes what the message with a number refers to, and so on, the nearest
// first, as far as there is room.
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

// expect returns what is expected of the F-measure of the first message, the first
// two, … in the given order. Only comparisons between them mean anything.
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
