package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func newBelief(size int) *belief {
	b := &belief{}
	b.begin(size)
	return b
}

// TestBeliefIsExact compares with counting every forest there is.
func TestBeliefIsExact(t *testing.T) {
	const n = 6
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		b := newBelief(n)
		for j := range n {
			left := 1.0
			for i := range b.row(j) {
				p := left * random.Float64()
				b.row(j)[i] = float32(p)
				left -= p
			}
		}
		want := make([]float64, n)
		countForests(b, nil, 1, want)
		got := b.withLast()
		for i := range want {
			if math.Abs(got[i]-want[i]) > 0.01 { // negligible links are not followed
				t.Fatalf("message %d is connected with the last with probability %.4f, want %.4f", i, got[i], want[i])
			}
		}
	}
}

// countForests adds to want the probability of every forest in which a message is
// in one tree with the last; parents are those of the messages decided so far.
func countForests(b *belief, parents []int, p float64, want []float64) {
	j := len(parents)
	if j == b.size {
		for i := range want {
			if rootOf(parents, i) == rootOf(parents, j-1) {
				want[i] += p
			}
		}
		return
	}
	none := 1.0
	for i, link := range b.row(j) {
		none -= float64(link)
		countForests(b, append(slices.Clone(parents), i), p*float64(link), want)
	}
	countForests(b, append(slices.Clone(parents), -1), p*none, want)
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
	if p := b.withLast(); p[0] != 1 || p[1] != 1 || p[2] != 0 || p[3] != 1 {
		t.Errorf("got %v, want 1 first, 1 second, 0 third and 1 fourth", p)
	}
	if b.between(3, 0) != 1 || b.between(0, 3) != 1 {
		t.Error("the further reference is no link")
	}
}

func TestTheCutTakesTheLikeliestWithWhatTheyReferTo(t *testing.T) {
	tests := []struct {
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
	}
	for _, test := range tests {
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
	return cut{
		recall: recall, room: room, refers: make([][]int, len(lengths)+1),
		length: overMean(lengths, total/max(float64(len(lengths)), 1)),
	}
}

func TestALongMessageHasToBeLikelier(t *testing.T) {
	p := []float64{1, 0.45, 0.45, 1}
	c := plainCut(0.8, 5, []float64{40, 40, 400, 40})
	if got, want := c.choose(p, []supposition{{1, p}}), []int{0, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestACertainMessageMayBeLong(t *testing.T) {
	p := []float64{1, 1, 1}
	c := plainCut(0.8, 2, []float64{1, 1, 4000})
	if got, want := c.choose(p, []supposition{{1, p}}), []int{1, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLengthsOverTheirMean(t *testing.T) {
	for _, lengths := range [][]float64{nil, {0}, {0, 0}, {7}, {1, 2, 3}, {0, 4000, 1}} {
		sum := 0.0
		for _, over := range plainCut(1, 1, lengths).length {
			sum += over
		}
		if math.Abs(sum-float64(len(lengths))) > 1e-9 {
			t.Errorf("the lengths %v have the sum %v, want their number", lengths, sum)
		}
	}
}

func TestSuppositionsAddUpToTheBelief(t *testing.T) {
	const n = 6
	const windows = 50
	off := 0.0
	random := rand.New(rand.NewPCG(3, 4))
	for range windows {
		b := newBelief(n)
		for j := range n {
			left := 1.0
			for i := range b.row(j) {
				b.row(j)[i] = float32(left * random.Float64())
				left -= float64(b.row(j)[i])
			}
		}
		p := b.withLast()
		sum := make([]float64, n-1)
		for _, s := range b.suppositions() {
			for i, together := range s.together {
				sum[i] += s.probability * together
			}
		}
		for i := range sum {
			off += math.Abs(sum[i]-p[i]) / (windows * (n - 1))
		}
	}
	if off > 0.05 {
		t.Errorf("the suppositions are off by %.3f in the mean, want at most %.3f", off, 0.05)
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
