package graph

import "slices"

// negligible is the probability below which a link is ignored.
const negligible = 1e-3

// draws is the number of times the links are drawn, a power of two. More draws would
// change the choice in about one window of a hundred.
const draws = 64

// supposition is the set of messages that are connected with the last one in a draw of
// all links.
type supposition struct {
	probability float64
	together    []float64
}

// belief is what each of the explored messages may answer, and what it certainly answers.
// Messages are numbered oldest first; the trigger is the last. From a belief, forests draw
// which messages are connected, that is, belong to one conversation.
type belief struct {
	size    int
	link    []float32 // row by row, see row
	settled []bool    // by message: its first explicit reference is known
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

// answers returns the probability that j answers i.
func (b *belief) answers(j, i int) float64 { return float64(b.row(j)[i]) }

// between returns the probability of a link between two messages, in either direction.
func (b *belief) between(i, j int) float64 {
	if i == j {
		return 0
	}
	return b.answers(max(i, j), min(i, j))
}

// settle records that a message answers another. The first explicit reference of a
// message replaces its inferred links. References must be recorded in the order of their
// messages, oldest first.
func (b *belief) settle(from, to int) {
	if to < from && !b.settled[from] {
		row := b.row(from)
		clear(row)
		row[to] = 1
		b.settled[from] = true
	}
	b.certain = append(b.certain, certainty{from, to, true})
}

// linkAlong makes an explicit reference a certain link.
func (b *belief) linkAlong(c certainty) { b.row(max(c.from, c.to))[min(c.from, c.to)] = 1 }

// refers returns, by number, the messages that each message certainly answers or links to.
func (b *belief) refers() [][]int {
	refers := make([][]int, b.size)
	for _, c := range b.certain {
		refers[c.from] = append(refers[c.from], c.to)
	}
	return refers
}

// forests are many draws from a belief of what all messages answer. Whole conversations
// depend on single links, so a mean would describe none of them. Two messages are connected
// if the drawn links lead from both to the same one, which puts them into one conversation.
//
// The draws are the particles of a particle filter (Arulampalam et al., IEEE Transactions
// on Signal Processing 50, 2002): the messages are drawn one after the other, each in
// proportion to its links and to how well its speaker fits the turns of the conversation,
// and the draws are resampled when few of them carry the weight. They are deterministic.
type forests struct {
	*belief
	turns *turns
	drawn []forest

	// memory
	spare  []forest
	likely []likelyLink
	share  []float64
	fits   []fit // by conversation
	asked  int   // how often it was asked how well somebody fits
}

// fit is how well a speaker fits a conversation.
type fit struct {
	asked int // when
	value float64
}

// forest is one draw of what the messages answer.
type forest struct {
	weight float64
	talk   []int16 // by message: the number of its conversation
	talks  []talk  // in the order in which they begin
}

// newForests returns forests without a message.
func newForests(b *belief, t *turns) *forests {
	f := &forests{
		belief: b, turns: t, drawn: make([]forest, draws), spare: make([]forest, draws),
		share: make([]float64, b.size), fits: make([]fit, b.size),
	}
	const few = 16 // conversations, for which there is room at first
	numbers, talks := make([]int16, 2*draws*b.size), make([]talk, 2*draws*few)
	for i, all := range [][]forest{f.drawn, f.spare} {
		for d := range all {
			at := i*draws + d
			all[d] = forest{1, numbers[at*b.size : at*b.size : (at+1)*b.size], talks[at*few : at*few : (at+1)*few]}
		}
	}
	return f
}

// suppositions returns the messages that are connected with the last one, in each draw. An
// explicit reference connects even if it is not the first one of its message.
func (b *belief) suppositions(t *turns) []supposition {
	f := newForests(b, t)
	for j := range b.size {
		f.draw(j)
		f.resample(j)
	}
	last := b.size - 1
	all := make([]supposition, draws)
	for d, drawn := range f.drawn {
		together := make([]float64, b.size)
		for i, talk := range drawn.talk {
			if talk == drawn.talk[last] {
				together[i] = 1
			}
		}
		for _, c := range slices.Backward(b.certain) {
			together[c.to] = max(together[c.to], together[c.from])
		}
		all[d] = supposition{drawn.weight, together[:last]}
	}
	return all
}

// likelyLink is a link whose probability is not negligible.
type likelyLink struct {
	to int
	p  float64
}

// draw draws what message j answers in every forest. The better its speaker fits a
// conversation, the likelier is a link to it, and the more the forest weighs.
func (f *forests) draw(j int) {
	likely, linked := f.likely[:0], 0.0
	for i, p := range slices.Backward(f.row(j)) {
		if p > negligible {
			likely = append(likely, likelyLink{i, float64(p)})
			linked += float64(p)
		}
	}
	f.likely = likely
	share, fits := f.share[:len(likely)], f.fits
	for k, link := range likely {
		share[k] = link.p
	}
	point, fitting := evenly(f.size-1-j), f.turns.matter && !f.settled[j]
	for d := range f.drawn {
		o, total := &f.drawn[d], linked
		if fitting {
			total = 0
			f.asked++
			for k, link := range likely {
				n := o.talk[link.to]
				fit := &fits[n]
				if fit.asked != f.asked {
					fit.asked, fit.value = f.asked, f.turns.fits(j, &o.talks[n])
				}
				share[k] = float64(link.p * fit.value)
				total += share[k]
			}
		}
		if linked > 0 {
			total += float64(max(0, 1-linked) * total / linked) // the beginning of a conversation fits as well as the links do on average
		} else {
			total = 1
		}
		joined, reached := int16(len(o.talks)), 0.0 //nolint:gosec // there are fewer messages
		place := float64((float64(point.of(d)) + 0.5) / draws * total)
		for k, link := range likely {
			if reached += share[k]; place < reached {
				joined = o.talk[link.to]
				break
			}
		}
		o.weight *= total
		if int(joined) == len(o.talks) {
			o.talks = append(o.talks, talk{})
		}
		o.talk = append(o.talk, joined)
		if f.turns.matter {
			f.turns.speak(j, &o.talks[joined])
		}
	}
}

// points are the points of all draws for one message.
type points [3]struct{ factor, offset uint64 }

// evenly returns the points for the message that is so many before the last. They are spread
// evenly, in an order of their own, and do not depend on what else was explored.
func evenly(before int) (p points) {
	mixed := uint64(before)*0x9e3779b97f4a7c15 + 0x9e3779b97f4a7c15 //nolint:gosec // not negative
	mixed = (mixed ^ mixed>>30) * 0xbf58476d1ce4e5b9
	mixed ^= mixed >> 27
	for step := range p {
		p[step].factor, p[step].offset = mixed|1, mixed>>8
		mixed >>= 16
	}
	return p
}

// of returns the point of a draw.
func (p *points) of(draw int) uint64 {
	place := uint64(draw)    //nolint:gosec // not negative
	for _, step := range p { // each moves every place to another one
		place = (place*step.factor + step.offset) % draws
		place ^= place >> 3
	}
	return place
}

// resample draws the forests again in proportion to their weights w, evenly (systematic
// resampling, Kitagawa 1996), once their effective number (Σ w)² / Σ w² is below half of
// draws. It also scales the weights to the sum of 1.
func (f *forests) resample(j int) {
	sum, squares := 0.0, 0.0
	for _, o := range f.drawn {
		sum += o.weight
		squares += float64(o.weight * o.weight)
	}
	if j == f.size-1 || float64(sum*sum) >= float64(squares*draws/2) {
		for d := range f.drawn {
			f.drawn[d].weight /= sum
		}
		return
	}
	k, reached := 0, f.drawn[0].weight
	for d := range f.spare {
		place := (float64(d) + 0.5) / draws * sum
		for reached < place && k < draws-1 {
			k++
			reached += f.drawn[k].weight
		}
		o, from := &f.spare[d], &f.drawn[k]
		*o = forest{1.0 / draws, append(o.talk[:0], from.talk...), append(o.talks[:0], from.talks...)}
	}
	f.drawn, f.spare = f.spare, f.drawn
}
