package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// talking returns who says each message, a minute apart, as letters say it.
func talking(people string) []spoken {
	var said []spoken
	for k, who := range people {
		said = append(said, spoken{UserID(who), time.Unix(int64(60*k), 0)})
	}
	return said
}

// alikely fills every row of a belief with the same links to the two messages before it.
func alikely(b *belief) {
	for j := range b.size {
		row := b.row(j)
		for k := 1; k <= min(j, 2); k++ {
			row[j-k] = 0.45
		}
	}
}

// TestTurnsAreDrawnAsTheyFit compares with counting every forest there is.
func TestTurnsAreDrawnAsTheyFit(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, people := range []string{"abab", "abcacb", "abcdab", "aabbab"} {
		b := newBelief(len(people))
		b.guess(random)
		turns := newTurns(talking(people), time.Hour, 1)
		want, total := make([]float64, b.size), 0.0
		countTurns(b, turns, nil, 1, want, &total)
		got := b.connected(turns)
		for i := range got {
			if d := math.Abs(got[i] - want[i]/total); d > 0.13 {
				t.Errorf("%s: message %d is connected with the last with probability %.3f, want %.3f", people, i, got[i], want[i]/total)
			}
		}
	}
}

// countTurns adds to want the probability of every forest in which a message is in one
// tree with the last, each link weighed by how well the speaker fits, and to total that of
// every forest; parents are those of the messages decided so far.
func countTurns(b *belief, reference *turns, parents []int, p float64, want []float64, total *float64) {
	j := len(parents)
	if j == b.size {
		*total += p
		for i := range want {
			if rootOf(parents, i) == rootOf(parents, j-1) {
				want[i] += p
			}
		}
		return
	}
	fit, linked, none := make([]float64, j), 0.0, 1.0
	mean := 0.0
	for i, link := range b.row(j) {
		var talk talk
		for k := range j {
			if rootOf(parents, k) == rootOf(parents, i) {
				reference.speak(k, &talk)
			}
		}
		fit[i] = reference.fits(j, &talk)
		none -= float64(link)
		linked += float64(link)
		mean += float64(link) * fit[i]
	}
	if linked > 0 {
		mean /= linked
	} else {
		mean = 1
	}
	for i, link := range b.row(j) {
		countTurns(b, reference, append(parents[:j:j], i), p*float64(link)*fit[i], want, total)
	}
	countTurns(b, reference, append(parents[:j:j], -1), p*none*mean, want, total)
}

// TestTwoPairsAreTwoTalks has two pairs take turns, with links that tell nothing.
func TestTwoPairsAreTwoTalks(t *testing.T) {
	b := newBelief(12)
	alikely(b)
	apart, together := 0.0, 0.0
	for _, s := range b.suppositions(newTurns(talking("abcdabcdabcd"), time.Hour, 1)) {
		pairs := map[int]int{}
		for i, in := range s.together {
			if in > 0.5 {
				pairs[i%4]++
			}
		}
		if len(pairs) == 4 {
			together += s.probability
		} else {
			apart += s.probability
		}
	}
	if apart < together {
		t.Errorf("one talk of everything has the probability %.2f, two talks %.2f, want two to be likelier", together, apart)
	}
}

func TestNobodysTurnAfterAPause(t *testing.T) {
	said := talking("abab")
	said[3].time = said[3].time.Add(time.Hour)
	turns := newTurns(said, 10*time.Minute, 1)
	var talk talk
	for j := range 3 {
		turns.speak(j, &talk)
	}
	resumed, stranger := turns.fits(3, &talk), comesBack/3
	if math.Abs(resumed-stranger) > 1e-9 {
		t.Errorf("whoever speaks after a pause fits at %.3f, want %.3f", resumed, stranger)
	}
	turns.speak(3, &talk)
	if talk.people != 1 {
		t.Errorf("%d people talk after the pause, want 1", talk.people)
	}
}

// TestAReplyTellsNothingOfTurns draws with a reply that fits badly: it is certain, and every
// draw weighs as much as without it.
func TestAReplyTellsNothingOfTurns(t *testing.T) {
	b := newBelief(6)
	alikely(b)
	b.settle(5, 0)
	f := newForests(b, newTurns(talking("abcbcd"), time.Hour, 1))
	for j := range 5 {
		f.draw(j)
	}
	before := slices.Clone(f.drawn)
	f.draw(5)
	for d, drawn := range f.drawn {
		if f.talk[5][d] != f.talk[0][d] || math.Abs(drawn.weight-before[d].weight) > 1e-9 {
			t.Errorf("draw %d has the reply in talk %d and weighs %v, want %d and %v", d, f.talk[5][d], drawn.weight, f.talk[0][d], before[d].weight)
		}
	}
}
