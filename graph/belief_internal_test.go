package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// untalked returns turns that everybody fits, of so many messages.
func untalked(size int) *turns { return newTurns(make([]spoken, size), time.Hour, 0) }

// connected returns the probability of each older message to be connected with the last.
func (b *belief) connected(t *turns) []float64 {
	p := make([]float64, b.size-1)
	for _, s := range b.suppositions(t) {
		for i, together := range s.together {
			p[i] += s.probability * together
		}
	}
	return p
}

// guess fills every row with random links.
func (b *belief) guess(random *rand.Rand) {
	for j := range b.size {
		left := 1.0
		for i := range b.row(j) {
			p := left * random.Float64()
			b.row(j)[i] = float32(p)
			left -= p
		}
	}
}

// TestSuppositionsAreDrawnAsLikelyAsTheyAre compares with counting every forest there is.
func TestSuppositionsAreDrawnAsLikelyAsTheyAre(t *testing.T) {
	const n, windows = 6, 50
	off := 0.0
	random := rand.New(rand.NewPCG(1, 2))
	for range windows {
		b := newBelief(n)
		b.guess(random)
		want, total := make([]float64, n), 0.0
		countTurns(b, untalked(n), nil, 1, want, &total)
		for i, p := range b.connected(untalked(n)) {
			off += math.Abs(p-want[i]/total) / (windows * (n - 1))
		}
	}
	if off > 0.05 {
		t.Errorf("the suppositions are off by %.3f in the mean, want at most %.3f", off, 0.05)
	}
}

func rootOf(parents []int, i int) int {
	for parents[i] >= 0 {
		i = parents[i]
	}
	return i
}

func TestExplicitReferencesAreCertain(t *testing.T) {
	b := newBelief(4)
	copy(b.row(3), []float32{0.2, 0.3, 0.5})
	b.settle(3, 1) // the first one decides
	b.settle(3, 0) // further ones are as certain
	if row := b.row(3); row[0] != 0 || row[1] != 1 || row[2] != 0 {
		t.Errorf("the last message answers %v, want the second alone", row)
	}
	for _, c := range b.certain {
		b.linkAlong(c)
	}
	if p := b.connected(untalked(4)); p[0] != 1 || p[1] != 1 || p[2] != 0 {
		t.Errorf("got %v, want 1 first, 1 second and 0 third", p)
	}
	if b.between(3, 0) != 1 || b.between(0, 3) != 1 {
		t.Error("the further reference is no link")
	}
	later := newBelief(3)
	later.row(2)[1] = 0.5
	later.settle(1, 2) // a message refers to a later one, as in the export of another program
	if later.answers(2, 1) != 0.5 || later.settled[1] {
		t.Errorf("the later message answers it with %v, want 0.5 as before, and what it answers itself open", later.answers(2, 1))
	}
}

func TestTheCutTakesTheLikeliestWithWhatTheyReferTo(t *testing.T) {
	for _, test := range []struct {
		name   string
		p      []float64
		refers map[int][]int
		room   int
		recall float64
		want   []int
	}{
		{"nothing", nil, nil, 5, 1, []int{}},
		{"what is certain", []float64{1, 0, 1}, nil, 5, 1, []int{0, 2}},
		{"what is likely", []float64{0.9, 0.1, 0.8, 0.05}, nil, 5, 1, []int{0, 2}},
		{"nothing where nothing is possible", []float64{0, 0}, nil, 5, 1, []int{}},
		{"more with more weight on recall", []float64{0.9, 0.3, 0.8, 0.05}, nil, 5, 20, []int{0, 1, 2, 3}},
		{"the newest of equals", []float64{1, 1, 1}, nil, 2, 1, []int{1, 2}},
		{"the trigger's chain before what is likelier", []float64{0, 0.1, 1, 1}, map[int][]int{4: {1}, 1: {0}}, 3, 1, []int{0, 1, 3}},
		{"of a long chain the nearest", []float64{1, 1, 1, 1}, map[int][]int{4: {3}, 3: {2}, 2: {1}, 1: {0}}, 2, 1, []int{2, 3}},
		{"a chain that is all there is", []float64{0, 0}, map[int][]int{2: {0}}, 5, 1, []int{0}},
		{"what a message refers to with it", []float64{0, 0.9, 0.8}, map[int][]int{1: {0}}, 5, 1, []int{0, 1, 2}},
		{"no message without what it refers to", []float64{0.9, 0.9, 0.8}, map[int][]int{2: {1}, 1: {0}}, 2, 1, []int{0, 1}},
		{"passed over what does not fit", []float64{0, 0, 0.7, 0.9}, map[int][]int{3: {1}, 1: {0}}, 2, 1, []int{2}},
		{"messages that refer to each other", []float64{0.9, 0.9}, map[int][]int{0: {1}, 1: {0}}, 5, 1, []int{0, 1}},
		{"a message that refers to the trigger", []float64{0.9}, map[int][]int{0: {1}}, 5, 1, []int{0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := plainCut(test.recall, test.room, make([]float64, len(test.p)))
			for from, to := range test.refers {
				c.refers[from] = to
			}
			if got := c.choose(test.p, []supposition{{1, test.p}}); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// plainCut returns a cut of messages of these lengths that refer to nothing.
func plainCut(recall float64, room int, lengths []float64) cut {
	total := 0.0
	for _, length := range lengths {
		total += length
	}
	c := cut{recall: recall, room: room, refers: make([][]int, len(lengths)+1)}
	for _, length := range lengths {
		if total > 0 {
			length /= total / float64(len(lengths))
		} else {
			length = 1
		}
		c.length = append(c.length, length)
	}
	return c
}

func TestALongMessageHasToBeLikelier(t *testing.T) {
	for _, test := range []struct {
		p, lengths []float64
		room       int
		want       []int
	}{
		{[]float64{1, 0.45, 0.45, 1}, []float64{40, 40, 400, 40}, 5, []int{0, 1, 3}},
		{[]float64{1, 1, 1}, []float64{1, 1, 4000}, 2, []int{1, 2}}, // a certain one may be long
	} {
		c := plainCut(0.8, test.room, test.lengths)
		if got := c.choose(test.p, []supposition{{1, test.p}}); !slices.Equal(got, test.want) {
			t.Errorf("of %v with the lengths %v %v are chosen, want %v", test.p, test.lengths, got, test.want)
		}
	}
}

func TestTheCutWeighsWholeTalks(t *testing.T) {
	// The last message answers either a short talk or a long one.
	short, long := []float64{1, 0, 0, 0, 0, 0, 0}, []float64{0, 1, 1, 1, 1, 1, 1}
	both := func(likely float64) []int {
		p := make([]float64, len(short))
		for i := range p {
			p[i] = likely*short[i] + (1-likely)*long[i]
		}
		c := plainCut(1, 30, make([]float64, len(p)))
		return c.choose(p, []supposition{{likely, short}, {1 - likely, long}})
	}
	if got := both(0.8); !slices.Equal(got, []int{0}) {
		t.Errorf("the short talk is likely, chosen is %v, want %v", got, []int{0})
	}
	if got := both(0.2); !slices.Equal(got, []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("the long talk is likely, chosen is %v, want %v", got, []int{1, 2, 3, 4, 5, 6})
	}
}
