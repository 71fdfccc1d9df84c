package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// judgedBelief returns a belief about so many messages of one window. begins returns how
// likely each of them begins a talk; the rest is divided among the three before it.
func judgedBelief(size int, begins func(j int) float64) *belief {
	links, numbers := NewLinks(size), make([]int, size)
	for j := range size {
		numbers[j] = j
		row := links.Row(j)
		near := row[max(0, len(row)-3):]
		for i := range near {
			near[i] = float32((1 - begins(j)) / float64(len(near)))
		}
	}
	b := newBelief(size)
	b.fill(numbers, links)
	return b
}

// TestLinksAreCorrectedByHowOftenTalksBegin checks what holds whatever the links are.
func TestLinksAreCorrectedByHowOftenTalksBegin(t *testing.T) {
	corrected := 0
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		size, doubt := 2+random.IntN(60), 0.3*random.Float64()
		begins := make([]float64, size)
		for j := range begins {
			begins[j] = min(1, doubt*random.ExpFloat64())
		}
		known := random.IntN(size)
		before := judgedBelief(size, func(j int) float64 { return begins[j] })
		after := judgedBelief(size, func(j int) float64 { return begins[j] })
		before.settle(known, 0)
		after.settle(known, 0)
		after.correctBeginnings()
		for j := range size {
			was, is := before.beginsTalk(j), after.beginsTalk(j)
			if is > was+1e-6 || is < 0 {
				t.Fatalf("seed %d: message %d begins a talk with %.4f instead of %.4f, want no more and at least 0", seed, j, is, was)
			}
			if is < was-1e-6 {
				corrected++
			}
			if few := size-2-cutOff < fewestJudged; (few || j == known) && !slices.Equal(before.row(j), after.row(j)) {
				t.Fatalf("seed %d: the links of message %d of %d changed, where too few messages tell or a reference is explicit, want the same", seed, j, size)
			}
			if !inProportion(before.row(j), after.row(j), was, is) {
				t.Fatalf("seed %d: the links of message %d changed among themselves, want the same proportions", seed, j)
			}
		}
	}
	if corrected == 0 {
		t.Error("no link was corrected")
	}
}

// inProportion reports whether links changed only as much as the probability that the
// message begins a talk.
func inProportion(before, after []float32, was, is float64) bool {
	for i := range before {
		if math.Abs(float64(before[i])*(1-is)-float64(after[i])*(1-was)) > 1e-6 {
			return false
		}
	}
	return true
}

// TestALikelyBeginningStaysOne asks for a message that may begin a talk among many that do
// not. However seldom talks begin, it is taken to begin one with the least share in mind.
func TestALikelyBeginningStaysOne(t *testing.T) {
	const size, at, begins = 100, 60, 0.5
	odds := begins / (1 - begins) * oddsOf(leastBeginnings) / oddsOf(usualBeginnings)
	want := odds / (1 + odds)
	for _, doubt := range []float64{0, 1e-4, 1e-3} {
		b := judgedBelief(size, func(j int) float64 {
			if j == at {
				return begins
			}
			return doubt
		})
		b.correctBeginnings()
		if got := b.beginsTalk(at); math.Abs(got-want) > 1e-4 {
			t.Errorf("where others begin a talk with %v, the message begins one with %.4f, want %.4f", doubt, got, want)
		}
	}
}

// TestTheLastMessageCorrectsNoLink compares the links of the others, whatever the last
// message answers, which may be the trigger.
func TestTheLastMessageCorrectsNoLink(t *testing.T) {
	const size = 40
	var want []float32
	for _, last := range []float64{0, 0.3, 0.99} {
		b := judgedBelief(size, func(j int) float64 {
			if j == size-1 {
				return last
			}
			return 0.05
		})
		b.correctBeginnings()
		rest := b.link[:(size-1)*(size-2)/2]
		if want == nil {
			want = slices.Clone(rest)
		}
		if !slices.Equal(rest, want) {
			t.Errorf("a trigger that begins a talk with %.2f changes the links of others, want the same", last)
		}
	}
}
