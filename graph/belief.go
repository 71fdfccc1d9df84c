package graph

import "slices"

// belief is what each of the explored messages may answer, and what it certainly does.
// Messages are numbered oldest first; the trigger is the last. forests.go draws from it
// which messages are connected, that is, belong to one conversation.
type belief struct {
	size    int
	link    []float32 // row by row, see row
	settled []bool    // whose first explicit reference is known
	certain []certainty
}

// certainty is an explicit reference between two messages.
type certainty struct {
	from, to int
	answers  bool // from answers to; otherwise from only links to it
}

func newBelief(size int) *belief {
	return &belief{size: size, link: make([]float32, size*(size-1)/2), settled: make([]bool, size)}
}

// row returns the probabilities that message j answers each older one.
func (b *belief) row(j int) []float32 {
	begin := j * (j - 1) / 2
	return b.link[begin : begin+j : begin+j]
}

// fill copies the links of a window whose messages have these numbers.
func (b *belief) fill(numbers []int, links Links) {
	for j := 1; j < min(links.Size(), len(numbers)); j++ {
		row := b.row(numbers[j])
		for i, p := range links.Row(j) {
			row[numbers[i]] = p
		}
	}
}

// answers returns the probability that j answers i.
func (b *belief) answers(j, i int) float64 { return float64(b.row(j)[i]) }

// between returns the probability of a link between two messages, in either direction.
func (b *belief) between(i, j int) float64 {
	if i == j {
		return 0
	}
	return b.answers(max(i, j), min(i, j))
}

// settle records an explicit reference. The first one of a message replaces its
// inferred links. References must be recorded in the order of their messages, oldest
// first.
func (b *belief) settle(from, to int) {
	if to < from && !b.settled[from] {
		row := b.row(from)
		clear(row)
		row[to] = 1
		b.settled[from] = true
	}
	b.certain = append(b.certain, certainty{from, to, true})
}

// attach records that a message links to another, which then belongs to whatever
// conversation the message belongs to. What the message answers remains open.
func (b *belief) attach(from, to int) { b.certain = append(b.certain, certainty{from, to, false}) }

// linkCertain makes every explicit reference a certain link, not only the first one of
// each message.
func (b *belief) linkCertain() {
	for _, c := range b.certain {
		b.linkAlong(c)
	}
}

// linkAnswered makes certain links only of those explicit references that show what a
// message answers.
func (b *belief) linkAnswered() {
	for _, c := range b.certain {
		if c.answers {
			b.linkAlong(c)
		}
	}
}

func (b *belief) linkAlong(c certainty) { b.row(max(c.from, c.to))[min(c.from, c.to)] = 1 }

// makeCertain raises the probabilities p for explicit references beyond the first one
// of a message, which are just as certain.
func (b *belief) makeCertain(p []float64) {
	for _, c := range slices.Backward(b.certain) {
		p[c.to] = max(p[c.to], p[c.from])
	}
}

// refers returns, by number, what each message certainly answers.
func (b *belief) refers() [][]int {
	refers := make([][]int, b.size)
	for _, c := range b.certain {
		refers[c.from] = append(refers[c.from], c.to)
	}
	return refers
}
