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
	length []float64 // of each message, over the mean
}

// lengthShare is how much a message's length counts where it is in doubt. A long
// message of another talk takes attention and tokens from what belongs, so it has to
// be likelier. docs/context-quality.md has the figures.
const lengthShare = 0.3

// takes is what message i takes of the F-measure's precision: 1 on average, and 1
// whatever its length where it is certain.
func (c *cut) takes(i int, p float64) float64 {
	return 1 + lengthShare*(1-p)*(c.length[i]-1)
}

// overMean gives lengths in units of their mean.
func overMean(lengths []int) []float64 {
	total := 0
	for _, length := range lengths {
		total += length
	}
	over := make([]float64, len(lengths))
	for i, length := range lengths {
		over[i] = 1
		if total > 0 {
			over[i] = float64(length*len(lengths)) / float64(total)
		}
	}
	return over
}

// choose gives the numbers of the messages that belong, oldest first: those with
// the highest probabilities for what they take, as many as make the F-measure highest
// that is expected over all suppositions. The seeds that are not among them must
// still fit.
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
		if likelier := cmp.Compare(p[b]/c.takes(b, p[b]), p[a]/c.takes(a, p[a])); likelier != 0 {
			return likelier
		}
		return cmp.Compare(b, a)
	})
	expected := c.expect(p, order, suppositions)
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
func (c *cut) expect(p []float64, order []int, suppositions []supposition) []float64 {
	expected := make([]float64, len(order))
	for _, s := range suppositions {
		size := 0.0 // of the conversation, as far as there is room
		for _, q := range s.together {
			size += q
		}
		size = min(size, float64(c.room))
		right, taken := 0.0, 0.0
		for k, i := range order {
			right += s.together[i]
			taken += c.takes(i, p[i])
			expected[k] += s.probability * min(right, size) / (taken + c.recall*size)
		}
	}
	return expected
}
