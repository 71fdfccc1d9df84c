package graph

import (
	"cmp"
	"slices"
)

// cut decides how many of the messages, best first, belong to the conversation.
type cut struct {
	// recall weighs recall against precision: 1 weighs them alike, more takes
	// more messages. It is the square of the F-measure's beta.
	recall float64
	room   int // MaxTotal
	seeds  []bool
}

// choose gives the numbers of the messages that belong, oldest first: those with
// the highest probabilities, as many as make the F-measure highest that is expected
// over all suppositions. The seeds that are not among them must still fit.
func (c *cut) choose(p []float64, suppositions []supposition) []int {
	order := make([]int, len(p))
	left := 0
	for i := range p {
		order[i] = i
		if c.seeds[i] {
			left++ // seeds not chosen so far
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := cmp.Compare(p[b], p[a]); c != 0 {
			return c
		}
		return cmp.Compare(b, a)
	})
	expected := c.expect(order, suppositions)
	best, chosen := 0.0, 0
	for k, i := range order {
		if c.seeds[i] {
			left--
		}
		if k+1+left > c.room {
			break
		}
		if expected[k] > best {
			best, chosen = expected[k], k+1
		}
	}
	slices.Sort(order[:chosen])
	return order[:chosen]
}

// expect gives what is expected of the F-measure of the first, the first two, …
// in the given order. Only comparisons between them mean anything.
func (c *cut) expect(order []int, suppositions []supposition) []float64 {
	expected := make([]float64, len(order))
	for _, s := range suppositions {
		size := 0.0 // of the conversation, as far as there is room
		for _, p := range s.together {
			size += p
		}
		size = min(size, float64(c.room))
		right := 0.0
		for k, i := range order {
			right += s.together[i]
			expected[k] += s.probability * min(right, size) / (float64(k+1) + c.recall*size)
		}
	}
	return expected
}
