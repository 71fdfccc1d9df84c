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
	talk  [][draws]int16 // by message, in each draw: the number of its conversation

	// memory
	spare  []forest
	likely []likelyLink
	share  [][draws]float64 // by likely link
	fits   [][draws]float64 // by conversation: how well a speaker fits it; 0 until it is asked
}

// forest is one draw of what the messages answer.
type forest struct {
	weight float64
	talks  []talk // in the order in which they begin
}

// newForests returns forests without a message.
func newForests(b *belief, t *turns) *forests {
	f := &forests{belief: b, turns: t, drawn: make([]forest, draws), talk: make([][draws]int16, 0, b.size), spare: make([]forest, draws)}
	const few = 16 // conversations, for which there is room at first
	talks := make([]talk, 2*draws*few)
	for i, all := range [][]forest{f.drawn, f.spare} {
		for d := range all {
			at := (i*draws + d) * few
			all[d] = forest{1, talks[at : at : at+few]}
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
		for i := range f.talk {
			if f.talk[i][d] == f.talk[last][d] {
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
	totals := f.weigh(j, likely)
	point, joined := evenly(f.size-1-j), [draws]int16{}
	for d := range f.drawn {
		o, total := &f.drawn[d], totals[d]
		if linked > 0 {
			total += float64(max(0, 1-linked) * total / linked) // the beginning of a conversation fits as well as the links do on average
		} else {
			total = 1
		}
		joined[d] = int16(len(o.talks)) //nolint:gosec // there are fewer messages
		place, reached := float64((float64(point.of(d))+0.5)/draws*total), 0.0
		for k, link := range likely {
			if reached += f.share[k][d]; place < reached {
				joined[d] = f.talk[link.to][d]
				break
			}
		}
		o.weight *= total
		if int(joined[d]) == len(o.talks) {
			o.talks = append(o.talks, talk{})
		}
		if f.turns.matter {
			f.turns.speak(j, &o.talks[joined[d]])
		}
	}
	f.talk = append(f.talk, joined)
}

// weigh sets the shares of the likely links of message j in each draw, and returns their sums.
// It goes through the draws of one link after the other, as their sums do not depend on each
// other.
func (f *forests) weigh(j int, likely []likelyLink) (totals [draws]float64) {
	for len(f.share) < len(likely) {
		f.share = append(f.share, [draws]float64{})
	}
	clear(f.fits)
	fitting := f.turns.matter && !f.settled[j]
	for k, link := range likely {
		share := &f.share[k]
		for d, n := range &f.talk[link.to] {
			share[d] = link.p
			if fitting {
				for len(f.fits) <= int(n) {
					f.fits = append(f.fits, [draws]float64{})
				}
				fit := &f.fits[n][d]
				if *fit == 0 {
					*fit = f.turns.fits(j, &f.drawn[d].talks[n])
				}
				share[d] = float64(link.p * *fit)
			}
			totals[d] += share[d]
		}
	}
	return totals
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
	var from [draws]int
	k, reached := 0, f.drawn[0].weight
	for d := range f.spare {
		place := (float64(d) + 0.5) / draws * sum
		for reached < place && k < draws-1 {
			k++
			reached += f.drawn[k].weight
		}
		from[d] = k
		f.spare[d] = forest{1.0 / draws, append(f.spare[d].talks[:0], f.drawn[k].talks...)}
	}
	f.drawn, f.spare = f.spare, f.drawn
	for i, before := range f.talk {
		for d, k := range from {
			f.talk[i][d] = before[k]
		}
	}
}
