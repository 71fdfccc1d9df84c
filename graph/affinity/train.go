package affinity

import (
	"math"
	"math/rand/v2"

	"heddle/graph"
)

// Trainer fits a network to windows whose links people marked. The same windows
// in the same order give the same weights. It is used by one goroutine.
type Trainer struct {
	net           Network
	gradient      Network
	first, second Network // moments of the gradient (Adam)
	mean          Network // running mean of the weights, which is what is learnt
	steps         int
	rows          int // rows since the last step
	kept          []kept
	own           []units
	scores        []float32
}

const (
	firstDecay  = 0.9
	secondDecay = 0.999
	meanDecay   = 0.999
	spread      = 0.15 // of the weights to begin with
	weightDecay = 1e-2
	ignorable   = 1e-4 // gradients of scores below it are left out
)

// NewTrainer begins with small random weights drawn from a seed.
func NewTrainer(seed uint64) *Trainer {
	t := &Trainer{}
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // weights are no secrets
	for i := range t.net.in {
		for h := 1; h < hidden; h++ {
			t.net.in[i][h] = float32(random.NormFloat64() * spread)
		}
	}
	for h := 1; h < hidden; h++ {
		t.net.bias[h] = float32(random.NormFloat64() * spread)
		t.net.out[h] = float32(random.NormFloat64() * 2 * spread)
	}
	t.mean = t.net
	return t
}

// Network gives what has been learnt.
func (t *Trainer) Network() *Network {
	net := t.mean
	return &net
}

// Lesson is a window, oldest first, with what people marked about it.
type Lesson struct {
	Window []*graph.Message
	// Parents[j] are the indices of what message j answers, empty where it answers
	// nothing in the window, nil where nobody knows.
	Parents [][]int
}

// kept is what the way back needs of one row.
type kept struct {
	answer active
	pairs  []active
	units  []units
	back   []float32 // gradient of the scores; empty for rows that are not learnt
}

// Learn adds a lesson and returns the sum of the log losses of its links and how
// many there were.
func (t *Trainer) Learn(lesson Lesson) (loss float64, rows int) {
	w := newWindow(lesson.Window)
	r := newRow(len(w.people))
	t.fit(w.n)
	for j := range w.n {
		r.start(w, j)
		row := &t.kept[j]
		row.back = row.back[:0]
		if j == 0 || r.answer.certain >= 0 || r.answer.outside {
			t.net.inferRow(r, t.own, t.scores[:j+1])
		} else {
			t.forward(r, row)
			if lesson.Parents[j] != nil {
				loss += t.linkLoss(j, lesson.Parents[j], row)
				rows++
			}
		}
		w.settle(j, w.entries)
		t.net.candidate(w, j, &t.own[j])
	}
	for j := range w.n {
		if len(t.kept[j].back) > 0 {
			t.backward(w, j, &t.kept[j])
		}
	}
	t.rows += rows
	return loss, rows
}

// fit makes room for a window of n messages.
func (t *Trainer) fit(n int) {
	for len(t.kept) < n {
		size := len(t.kept) + 1
		t.kept = append(t.kept, kept{pairs: make([]active, size), units: make([]units, size), back: make([]float32, 0, size)})
		t.own = append(t.own, units{})
		t.scores = append(t.scores, 0)
	}
	clear(t.own)
}

func (t *Trainer) forward(r *row, row *kept) {
	j, n := r.j, r.w.n
	row.answer.n = 0
	r.answerInputs(&row.answer)
	base := t.net.bias
	t.net.add(&base, &row.answer)
	scores := t.scores[:j+1]
	for i := j - 1; i >= 0; i-- {
		a := &row.pairs[i]
		a.n = 0
		r.pairInputs(a, i)
		row.units[i] = base
		row.units[i].plus(&t.own[i])
		t.net.add(&row.units[i], a)
		scores[i] = t.score(&row.units[i])
		r.pass(i)
	}
	row.pairs[j].n = 0
	row.pairs[j].set(pairNone, 1)
	row.units[j] = base
	t.net.add(&row.units[j], &row.pairs[j])
	scores[j] = t.score(&row.units[j])
	softmax(scores, -math.MaxFloat32)
	copy(r.w.link[j*n:j*n+j], scores)
	r.w.none[j] = scores[j]
	row.back = row.back[:j+1]
	clear(row.back)
}

// score is what Network.read gives, added up one unit after another, as it was when
// the shipped weights were learnt. Another order rounds otherwise, and after some
// ten thousand steps the weights are others.
func (t *Trainer) score(u *units) float32 {
	score := u[0]
	for h := 1; h < hidden; h++ {
		if x := u[h]; x > 0 {
			score += float32(t.net.out[h] * x)
		}
	}
	return score
}

// linkLoss is the log loss of a row of links, of which any right one will do.
func (t *Trainer) linkLoss(j int, parents []int, row *kept) float64 {
	scores := t.scores[:j+1]
	if len(parents) == 0 {
		parents = []int{j}
	}
	right := float32(1e-9)
	for _, p := range parents {
		right += scores[p]
	}
	for i, p := range scores {
		row.back[i] += p
	}
	for _, p := range parents {
		row.back[p] -= scores[p] / right
	}
	return -math.Log(float64(right))
}

// backward carries the gradients of a row's scores back to the weights.
func (t *Trainer) backward(w *window, j int, row *kept) {
	var answerSide units
	for i, g := range row.back {
		if math.Abs(float64(g)) < ignorable {
			continue
		}
		u := &row.units[i]
		var back units
		back[0] = g
		for h := 1; h < hidden; h++ {
			if u[h] > 0 {
				t.gradient.out[h] += g * u[h]
				back[h] = g * t.net.out[h]
			}
		}
		answerSide.plus(&back)
		t.gradient.take(&row.pairs[i], &back)
		if i < j {
			var own active
			w.entries[i].candidateInputs(&own)
			t.gradient.take(&own, &back)
		}
	}
	t.gradient.bias.plus(&answerSide)
	t.gradient.take(&row.answer, &answerSide)
}

func (net *Network) take(a *active, back *units) {
	for k := range a.n {
		x, to := a.value[k], &net.in[a.index[k]]
		for h := range to {
			to[h] += x * back[h]
		}
	}
}

// Step changes the weights by what was added since the last step.
func (t *Trainer) Step(rate float64) {
	if t.rows == 0 {
		return
	}
	t.steps++
	s := stepper{
		scale:  1 / float32(t.rows),
		rate:   float32(rate * math.Sqrt(1-math.Pow(secondDecay, float64(t.steps))) / (1 - math.Pow(firstDecay, float64(t.steps)))),
		shrink: float32(1 - rate*weightDecay),
		keep:   float32(min(meanDecay, 1-1/float64(t.steps))),
	}
	for i := range t.net.in {
		s.step(&t.net.in[i], &t.gradient.in[i], &t.first.in[i], &t.second.in[i], &t.mean.in[i])
	}
	s.step(&t.net.bias, &t.gradient.bias, &t.first.bias, &t.second.bias, &t.mean.bias)
	s.step(&t.net.out, &t.gradient.out, &t.first.out, &t.second.out, &t.mean.out)
	t.gradient = Network{}
	t.rows = 0
}

type stepper struct{ scale, rate, shrink, keep float32 }

func (s stepper) step(weight, gradient, first, second, mean *units) {
	for h := range weight {
		g := gradient[h] * s.scale
		first[h] = firstDecay*first[h] + (1-firstDecay)*g
		second[h] = secondDecay*second[h] + (1-secondDecay)*g*g
		weight[h] = weight[h]*s.shrink - s.rate*first[h]/(float32(math.Sqrt(float64(second[h])))+1e-8)
		mean[h] = s.keep*mean[h] + (1-s.keep)*weight[h]
	}
}
