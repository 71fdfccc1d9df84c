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
// links that were drawn lead from both to the same root.
//
// The draws are the particles of a particle filter (Arulampalam et al., IEEE Transactions
// on Signal Processing 50, 2002): the messages are drawn one after the other, each in
// proportion to its links and to how well its speaker fits the turns of the talk, and the
// draws are resampled when few of them carry the weight. They are deterministic.
type forests struct {
	*belief
	turns   *turns
	roots   [][draws]int32 // by message and draw: the root of its tree
	talks   [][draws]talk  // by root and draw
	weights [draws]float64
}

// suppositions returns the messages that are connected with the last one, in each of the
// forests drawn from the links.
func (b *belief) suppositions(t *turns) []supposition {
	f := &forests{belief: b, turns: t, roots: make([][draws]int32, b.size), talks: make([][draws]talk, b.size)}
	for d := range f.weights {
		f.weights[d] = 1
	}
	for j := range b.size {
		f.draw(j)
		f.resample(j)
	}
	last := b.size - 1
	all := make([]supposition, draws)
	for d := range all {
		together := make([]float64, b.size)
		for i := range together {
			if f.roots[i][d] == f.roots[last][d] {
				together[i] = 1
			}
		}
		b.makeCertain(together)
		all[d] = supposition{f.weights[d], together[:last]}
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
	fits := make([]float64, j) // by root: how well the speaker fits that talk; 0 until it is asked
	for d := range draws {
		total := 0.0
		clear(fits)
		for k, link := range likely {
			share[k] = link.p
			if !f.settled[j] && f.turns.matter {
				root := f.roots[link.to][d]
				if fits[root] == 0 {
					fits[root] = f.turns.fits(j, &f.talks[root][d])
				}
				share[k] = float64(link.p * fits[root])
			}
			total += share[k]
		}
		if linked > 0 {
			total += float64(max(0, 1-linked) * total / linked) // the beginning of a talk fits as well as the links do on average
		} else {
			total = 1
		}
		root, reached := int32(j), 0.0 //nolint:gosec // there are fewer messages
		place := float64((float64(evenly(d, f.size-1-j)) + 0.5) / draws * total)
		for k, link := range likely {
			if reached += share[k]; place < reached {
				root = f.roots[link.to][d]
				break
			}
		}
		f.roots[j][d] = root
		if f.turns.matter {
			f.turns.speak(j, &f.talks[root][d])
		}
		f.weights[d] *= total
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
	for _, w := range f.weights {
		sum += w
		squares += float64(w * w)
	}
	if j == f.size-1 || float64(sum*sum) >= float64(squares*draws/2) {
		for d := range f.weights {
			f.weights[d] /= sum
		}
		return
	}
	var from [draws]int
	k, reached := 0, f.weights[0]
	for d := range from {
		place := (float64(d) + 0.5) / draws * sum
		for reached < place && k < draws-1 {
			k++
			reached += f.weights[k]
		}
		from[d] = k
	}
	for i := range j + 1 {
		roots, talks := f.roots[i], f.talks[i]
		for d, k := range from {
			f.roots[i][d], f.talks[i][d] = roots[k], talks[k]
		}
	}
	for d := range f.weights {
		f.weights[d] = 1.0 / draws
	}
}
