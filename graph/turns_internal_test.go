package graph

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestSomebodySpeaksNext(t *testing.T) {
	for people, chances := range nextSpeaker {
		sum := 0.0
		for _, p := range chances {
			sum += p
		}
		if math.Abs(sum-1) > 0.011 {
			t.Errorf("of a talk of %d people somebody speaks next at %.3f, want 1", people, sum)
		}
	}
}

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

// inTurns draws all turns.
func (b *belief) inTurns(said []spoken, longest time.Duration, weight float64) []supposition {
	b.beginTurns(said, longest, weight)
	return b.drawTurns(0)
}

// TestTurnsAreDrawnAsTheyFit compares with counting every forest there is.
func TestTurnsAreDrawnAsTheyFit(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, people := range []string{"abab", "abcacb", "abcdab", "aabbab"} {
		b := newBelief(len(people))
		for j := range b.size {
			left := 1.0
			for i := range b.row(j) {
				p := left * random.Float64()
				b.row(j)[i] = float32(p)
				left -= p
			}
		}
		var reference turns
		reference.begin(talking(people), time.Hour, 1)
		want, total := make([]float64, b.size), 0.0
		countTurns(b, &reference, nil, 1, want, &total)
		got := make([]float64, b.size-1)
		for _, s := range b.inTurns(talking(people), time.Hour, 1) {
			for i, together := range s.together {
				got[i] += s.probability * together
			}
		}
		for i := range got {
			if d := math.Abs(got[i] - want[i]/total); d > 0.13 {
				t.Errorf("%s: message %d is connected with the last with probability %.3f, want %.3f", people, i, got[i], want[i]/total)
			}
		}
	}
}

// countTurns is countForests where each link is weighed by how well the speaker fits.
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
		var talk turnOrder
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
	for _, s := range b.inTurns(talking("abcdabcdabcd"), time.Hour, 1) {
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
	var turns turns
	turns.begin(said, 10*time.Minute, 1)
	var talk turnOrder
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

// TestAReplyTellsNothingOfTurns draws with a reply that fits badly: it is as certain, and
// every forest as likely, as without it.
func TestAReplyTellsNothingOfTurns(t *testing.T) {
	b := newBelief(6)
	alikely(b)
	b.settle(5, 0)
	b.forests.begin(b.size)
	b.turns.begin(talking("abcbcd"), time.Hour, 1)
	for j := range b.size - 1 {
		b.turns.draw(b, j)
	}
	before := b.turns.weights
	b.turns.draw(b, b.size-1)
	for d, weight := range b.turns.weights {
		if b.forests.roots[5][d] != b.forests.roots[0][d] {
			t.Errorf("in draw %d the reply is no link, want one", d)
		}
		if math.Abs(weight-before[d]) > 1e-9 {
			t.Errorf("draw %d weighs %v before the reply and %v with it, want the same", d, before[d], weight)
		}
	}
}

// drawPlainly is turns.draw, draw by draw and without anything remembered.
func (t *turns) drawPlainly(b *belief, j int) {
	none, linked := 1.0, 0.0
	var likely []likelyLink
	for i, p := range slices.Backward(b.row(j)) {
		none -= float64(p)
		if p > negligible {
			likely = append(likely, likelyLink{i, float64(p)})
			linked += float64(p)
		}
	}
	roots := b.forests.roots
	for d := range draws {
		total, share := 0.0, make([]float64, len(likely))
		for k, link := range likely {
			fit := 1.0
			if !b.settled[j] {
				fit = t.fits(j, &t.talks[roots[link.to][d]][d].turnOrder)
			}
			share[k] = float64(link.p * fit)
			total += share[k]
		}
		if linked > 0 {
			total += float64(max(0, none) * total / linked)
		} else {
			total = 1
		}
		root, reached := int32(j), 0.0
		place := float64((float64(b.forests.orders[b.size-1-j][d]) + 0.5) / draws * total)
		for k, link := range likely {
			if reached += share[k]; place < reached {
				root = roots[link.to][d]
				break
			}
		}
		roots[j][d] = root
		t.speak(j, &t.talks[root][d].turnOrder)
		t.weights[d] *= total
	}
	t.resamplePlainly(b, j)
}

// resamplePlainly is turns.resample with copies of all that was drawn.
func (t *turns) resamplePlainly(b *belief, j int) {
	sum, squares := 0.0, 0.0
	for _, w := range t.weights {
		sum += w
		squares += float64(w * w)
	}
	if j == b.size-1 || float64(sum*sum) >= float64(squares*draws/2) {
		for d := range t.weights {
			t.weights[d] /= sum
		}
		return
	}
	roots, talks := slices.Clone(b.forests.roots), slices.Clone(t.talks)
	k, reached := 0, t.weights[0]
	for d := range draws {
		place := (float64(d) + 0.5) / draws * sum
		for reached < place && k < draws-1 {
			k++
			reached += t.weights[k]
		}
		for i := range j + 1 {
			b.forests.roots[i][d], t.talks[i][d] = roots[i][k], talks[i][k]
		}
	}
	for d := range t.weights {
		t.weights[d] = 1.0 / draws
	}
}

// TestTurnsAreDrawnAsPlainly compares with drawPlainly, bit for bit.
func TestTurnsAreDrawnAsPlainly(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		said := make([]spoken, 2+random.IntN(100))
		at := time.Unix(0, 0)
		for j := range said {
			at = at.Add(time.Duration(random.ExpFloat64() * float64(time.Minute)))
			said[j] = spoken{UserID(random.IntN(2 + int(seed%20))), at}
		}
		fast, plain := newBelief(len(said)), newBelief(len(said))
		for j := range said {
			left := random.Float32()
			for k := 1; k <= j; k++ {
				p := left * random.Float32()
				fast.row(j)[j-k], plain.row(j)[j-k] = p, p
				left -= p
			}
			if j > 0 && random.IntN(10) == 0 {
				to := random.IntN(j)
				fast.settle(j, to)
				plain.settle(j, to)
			}
		}
		longest, weight := time.Duration(1+seed%7)*time.Minute, random.Float64()
		got := fast.inTurns(said, longest, weight)
		plain.forests.begin(plain.size)
		plain.turns.begin(said, longest, weight)
		for j := range plain.size {
			plain.turns.drawPlainly(plain, j)
		}
		want := plain.drawn(func(draw int) float64 { return plain.turns.weights[draw] })
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %d messages are drawn differently, want the same", seed, len(said))
		}
	}
}

// BenchmarkTurns draws in the largest window in which turns count.
func BenchmarkTurns(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var belief belief
	said := make([]spoken, 101)
	for j := range said {
		said[j] = spoken{UserID(random.IntN(8)), time.Unix(int64(60*j), 0)}
	}
	belief.begin(len(said))
	for j := range said {
		row := belief.row(j)
		for k := 1; k <= min(j, 12); k++ {
			row[j-k] = 0.08
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		belief.inTurns(said, time.Hour, 0.5)
	}
}
