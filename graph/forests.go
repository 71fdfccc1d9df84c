package graph

import "slices"

// negligible is the probability below which a link is ignored.
const negligible = 1e-3

// draws is the number of times the links are drawn, a power of two. More draws would
// change the choice in about one window of a hundred.
const draws = 64

// supposition is the set of messages that are connected with the last one in one draw
// of all links.
type supposition struct {
	probability float64
	together    []float64
}

// forests are what all messages answer, drawn many times from a belief. Whole talks depend
// on single links, so a mean would describe none of them. Two messages are connected if the
// links that were drawn lead from both to the same one, and so put them into one talk.
//
// The draws are the particles of a particle filter (Arulampalam et al., IEEE Transactions
// on Signal Processing 50, 2002): the messages are drawn one after the other, each in
// proportion to its links and to how well its speaker fits the turns of the talk, and the
// draws are resampled when few of them carry the weight. They are deterministic.
type forests struct {
	*belief
	turns *turns
	drawn []forest
	spare []forest // memory
}

// forest is one draw of what the messages answer.
type forest struct {
	weight float64
	talk   []int16 // by message: the number of its talk
	talks  []talk  // in the order in which they begin
}

// newForests returns forests without a message.
func newForests(b *belief, t *turns) *forests {
	f := &forests{belief: b, turns: t, drawn: make([]forest, draws), spare: make([]forest, draws)}
	for d := range f.drawn {
		f.drawn[d] = forest{weight: 1, talk: make([]int16, 0, b.size)}
	}
	return f
}

// suppositions returns the messages that are connected with the last one, in each of the
// forests drawn from the links.
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
		b.makeCertain(together)
		all[d] = supposition{drawn.weight, together[:last]}
	}
	return all
}

// likelyLink is a link that is not negligible.
type likelyLink struct {
	to int
	p  float64
}

// draw draws what message j answers in every forest. The better its speaker fits, the
// likelier a link is drawn, and the more the forest weighs.
func (f *forests) draw(j int) {
	var likely []likelyLink
	linked := 0.0
	for i, p := range slices.Backward(f.row(j)) {
		if p > negligible {
			likely = append(likely, likelyLink{i, float64(p)})
			linked += float64(p)
		}
	}
	share := make([]float64, len(likely))
	fits := make([]float64, j) // by talk: how well the speaker fits it; 0 until it is asked
	for d := range f.drawn {
		o, total := &f.drawn[d], 0.0
		clear(fits)
		for k, link := range likely {
			share[k] = link.p
			if f.turns.matter && !f.settled[j] {
				n := o.talk[link.to]
				if fits[n] == 0 {
					fits[n] = f.turns.fits(j, &o.talks[n])
				}
				share[k] = float64(link.p * fits[n])
			}
			total += share[k]
		}
		if linked > 0 {
			total += float64(max(0, 1-linked) * total / linked) // the beginning of a talk fits as well as the links do on average
		} else {
			total = 1
		}
		joined, reached := int16(len(o.talks)), 0.0 //nolint:gosec // there are fewer messages
		place := float64((float64(evenly(d, f.size-1-j)) + 0.5) / draws * total)
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

// evenly returns the point of a draw for the message that stands so many before the
// last. The draws of one message are spread evenly over all points, in an order of its
// own. They do not depend on what else was explored.
func evenly(draw, before int) uint64 {
	mixed := uint64(before)*0x9e3779b97f4a7c15 + 0x9e3779b97f4a7c15 //nolint:gosec // not negative
	mixed = (mixed ^ mixed>>30) * 0xbf58476d1ce4e5b9
	mixed ^= mixed >> 27
	place := uint64(draw) //nolint:gosec // not negative
	for range 3 {         // each step moves every place to another one
		place = (place*(mixed|1) + mixed>>8) % draws
		place ^= place >> 3
		mixed >>= 16
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
