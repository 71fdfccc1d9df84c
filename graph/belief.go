package graph

import (
	"cmp"
	"slices"
)

// negligible is the probability below which a link is ignored.
const negligible = 1e-3

// supposable is the least probability of a link for which the case that it holds is
// examined.
const supposable = 0.01

// belief computes how likely any two of the explored messages are connected, that is,
// belong to one conversation. Messages are numbered oldest first; the trigger is the
// last.
//
// Each message is taken to choose what it answers independently of all others. The
// links then form a random forest, and two messages are connected exactly if the
// message that the later one answers is connected with the earlier one. The
// probabilities can therefore be computed row by row, and are exact: for i < j,
//
//	P(i, j) = Σₖ P(j answers k) · P(i, k), where P(i, i) = 1.
//
// In talks where nobody is addressed, who takes turns with whom makes the choices
// depend on each other. drawTurns then replaces withLast and suppositions.
type belief struct {
	size     int
	link     []float32 // row by row, see row
	together []float32 // together[j*size+i] is the probability that j and i are connected; symmetric
	settled  []bool    // whose first explicit reference is known
	inside   []bool    // what was judged in a window, and not at its beginning
	begins   []float64 // memory of correctBeginnings
	certain  []certainty
	forests  forests
	turns    turns
}

// certainty is an explicit reference between two messages.
type certainty struct {
	from, to int
	answers  bool // from answers to; otherwise from only links to it
}

// begin resets the belief to so many messages, reusing its memory. Slices that it
// returned before must not be used afterwards.
func (b *belief) begin(size int) {
	b.size, b.certain = size, b.certain[:0]
	b.link = zeroed(b.link, size*(size-1)/2)
	b.settled, b.inside = zeroed(b.settled, size), zeroed(b.inside, size)
}

// zeroed returns a slice of size zeros. It uses the memory of old if that is large
// enough.
func zeroed[T any](old []T, size int) []T {
	if cap(old) < size {
		return make([]T, size)
	}
	old = old[:size]
	clear(old)
	return old
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
		b.inside[numbers[j]] = j > cutOff
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

// withLast returns, for each message, the probability that it is connected with the
// last one.
func (b *belief) withLast() []float64 {
	n := b.size
	b.together = zeroed(b.together, n*n)
	for j := range n {
		b.spread(j)
	}
	p := make([]float64, n)
	for i, together := range b.together[(n-1)*n:] {
		p[i] = min(float64(together), 1)
	}
	b.makeCertain(p)
	b.linkCertain()
	return p
}

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

// likeliest returns the numbers of at most most messages that the last one most likely
// answers. Only supposable links count.
func (b *belief) likeliest(most int) []int {
	row := b.row(b.size - 1)
	var numbers []int
	for i, p := range row {
		if p >= supposable {
			numbers = append(numbers, i)
		}
	}
	slices.SortFunc(numbers, func(i, j int) int {
		if likelier := cmp.Compare(row[j], row[i]); likelier != 0 {
			return likelier
		}
		return cmp.Compare(j, i)
	})
	return numbers[:min(len(numbers), most)]
}

// supposition is the set of messages that are connected with the last one in one draw
// of all links.
type supposition struct {
	probability float64
	together    []float64
}

// draws is the number of times the links are drawn, a power of two. More draws would
// change the choice in about one window of a hundred.
const draws = 64

// forests is the memory in which suppositions are drawn. It is reused.
type forests struct {
	roots    [][draws]int32 // by message and draw: the root of its tree
	orders   [][draws]uint8 // by distance from the last message: the order that evenly uses
	together []float64
	all      [draws]supposition
}

// begin resets the forests to so many messages.
func (f *forests) begin(size int) {
	for before := len(f.orders); before < size; before++ {
		var order [draws]uint8
		for d := range order {
			order[d] = evenly(d, before)
		}
		f.orders = append(f.orders, order)
	}
	f.roots = slices.Grow(f.roots[:0], size)[:size]                   // each is set before it is read
	f.together = slices.Grow(f.together[:0], draws*size)[:draws*size] // as well
}

// suppositions returns the messages that are connected with the last one, in each of
// the forests drawn from the links. Whole talks depend on single links, so the mean
// over all forests would describe none of them. The draws are deterministic, and each
// link is drawn in proportion to its probability. The result is valid until the belief
// begins anew.
func (b *belief) suppositions() []supposition {
	b.forests.begin(b.size)
	for j := range b.size {
		b.draw(j)
	}
	return b.drawn(func(int) float64 { return 1.0 / draws })
}

// drawn returns the suppositions of the forests that were drawn, each with its weight.
func (b *belief) drawn(weight func(draw int) float64) []supposition {
	n, f := b.size, &b.forests
	for d := range f.all {
		together := f.together[d*n : d*n+n]
		last := f.roots[n-1][d]
		for i := range together {
			same := 0 // an int, as the compiler sets a float only in a branch, which is slow as nobody can predict it
			if f.roots[i][d] == last {
				same = 1
			}
			together[i] = float64(same)
		}
		b.makeCertain(together)
		f.all[d] = supposition{weight(d), together[:n-1]}
	}
	return f.all[:]
}

// draw draws what message j answers in every forest. A draw is a point in [0, 1), which
// is divided among the links that are not negligible, the newest first.
func (b *belief) draw(j int) {
	var answered [draws]int32 // by place
	place, reached := 0, 0.0
	for i, p := range slices.Backward(b.row(j)) {
		if p <= negligible {
			continue
		}
		reached += float64(p)
		for ; place < draws && (float64(place)+0.5)/draws < reached; place++ {
			answered[place] = int32(i) //nolint:gosec // there are fewer messages
		}
	}
	roots, order := b.forests.roots, &b.forests.orders[b.size-1-j]
	for d := range draws {
		roots[j][d] = int32(j) //nolint:gosec // there are fewer messages
		if drawn := int(order[d]); drawn < place {
			roots[j][d] = roots[answered[drawn]][d]
		}
	}
}

// evenly returns the point of a draw for the message that stands so many before the
// last. The draws of one message are spread evenly over all points, in an order of its
// own. They do not depend on what else was explored.
func evenly(draw, before int) uint8 {
	mixed := uint64(before)*0x9e3779b97f4a7c15 + 0x9e3779b97f4a7c15 //nolint:gosec // not negative
	mixed = (mixed ^ mixed>>30) * 0xbf58476d1ce4e5b9
	mixed ^= mixed >> 27
	place := uint64(draw) //nolint:gosec // not negative
	for range 3 {         // each step moves every place to another one
		place = (place*(mixed|1) + mixed>>8) % draws
		place ^= place >> 3
		mixed >>= 16
	}
	return uint8(place) //nolint:gosec // below draws
}

// spread computes the row of j from the rows before it.
func (b *belief) spread(j int) {
	n := b.size
	row := b.together[j*n : j*n+j]
	for k, p := range b.row(j) {
		if p <= negligible {
			continue
		}
		for i, together := range b.together[k*n : k*n+j] {
			row[i] += float32(p * together) // rounded, so that no machine fuses the two
		}
	}
	b.together[j*n+j] = 1
	for i, together := range row {
		b.together[i*n+j] = together
	}
}
