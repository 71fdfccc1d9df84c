package affinity

import (
	"math"
	"math/rand/v2"

	"heddle/graph"
)

// Trainer fits a network to windows with known links. It descends the gradient of the mean
// log loss with AdamW (Loshchilov and Hutter, ICLR 2019), whose constants are the usual
// ones. The same lessons in the same order lead to the same weights. A Trainer is used by
// one goroutine.
type Trainer struct {
	net           Network
	gradient      Network
	first, second Network // running means of the gradient and of its square
	mean          Network // the running mean of the weights, which is the result
	steps         int
	rows          int // since the last step
	kept          []kept
	own           []units // by candidate: what its own inputs add to the hidden units
	ownBack       []units // by candidate: the gradient of that
	workspace     workspace
	scores        []float32
	taught        []float32 // the mean probabilities of the teachers, row by row, the last of each for "none"
}

const (
	firstDecay  = 0.9
	secondDecay = 0.999
	meanDecay   = 0.999
	spread      = 0.15 // the standard deviation of the first weights
	weightDecay = 1e-2
	ignorable   = 5e-4 // gradients of scores that are smaller are taken for 0
)

// NewTrainer returns a trainer that begins with small random weights, drawn from a seed.
func NewTrainer(seed uint64) *Trainer {
	t := &Trainer{net: Network{wide: hasAVX()}}
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

// Continue returns a trainer that begins with the weights of a network.
func Continue(net *Network) *Trainer { return &Trainer{net: *net, mean: *net} }

// Network returns the network that was learnt so far.
func (t *Trainer) Network() *Network {
	net := t.mean
	return &net
}

// Lesson is a window, oldest first, with what is known about its links.
type Lesson struct {
	Window []*graph.Message
	// Parents[j] are the indices of what message j answers. They are empty if it answers
	// nothing in the window, and nil if that is not known.
	Parents [][]int
	// Hidden[j] reports whether message j is a reply that the window does not show.
	Hidden []bool
	// Shown is set if messages with unknown parents show no reply and might have. Its
	// chances are learnt.
	Shown *Shown
	// Blind[j] hides from row j what was said after message j, as if that were the trigger.
	Blind []bool
	// Weight[j] is how much row j counts. If Weight is nil, all rows count alike.
	Weight []float32
	// Teachers are networks whose mean the trainer learns, together with the rest.
	Teachers []*Network
}

// kept is what backward needs of one row.
type kept struct {
	answer active
	pairs  []active  // by candidate, and of "none"
	units  []units   // the same
	back   []float32 // the gradient of the scores; empty for a row that is not learnt
}

// Learn adds the gradient of a lesson. It returns the sum of the log losses of the rows
// that were learnt, and their number.
func (t *Trainer) Learn(lesson Lesson) (loss float64, rows int) {
	t.workspace.compile(lesson.Window)
	t.askTeachers(lesson.Teachers)
	w, r := &t.workspace.window, &t.workspace.row
	w.begin(w.n, len(w.people))
	r.begin(w)
	t.fit(w.n)
	for j := range w.n {
		r.blind = lesson.Blind != nil && lesson.Blind[j]
		r.start(j)
		if lost, learnt := t.learnRow(&lesson); learnt {
			loss, rows = loss+lost, rows+1
		}
		if lesson.Shown != nil {
			lesson.Shown.count(w, j, &lesson)
		}
		w.settle(j, w.entries)
		t.net.candidate(w, j, &t.own[j])
	}
	if lesson.Shown != nil {
		lesson.Shown.fade()
	}
	for j := range w.n {
		if back := t.kept[j].back; len(back) > 0 {
			if lesson.Weight != nil {
				for i := range back {
					back[i] *= lesson.Weight[j]
				}
			}
			t.backward(&t.kept[j])
		}
	}
	for i := range w.n {
		var own active
		w.entries[i].candidateInputs(&own)
		t.gradient.take(&own, &t.ownBack[i])
	}
	t.rows += rows
	return loss, rows
}

// learnRow computes the row that was started. If anything is known of its links that the
// window does not show, it keeps the gradient of their log loss and returns that loss.
func (t *Trainer) learnRow(lesson *Lesson) (loss float64, learnt bool) {
	w, r := &t.workspace.window, &t.workspace.row
	j := r.j
	row := &t.kept[j]
	row.back = row.back[:0]
	if r.known() {
		return 0, false
	}
	if j == 0 {
		w.none[0] = 1
		return 0, false
	}
	t.forward(r, row)
	switch {
	case len(lesson.Teachers) > 0:
		return t.taughtLoss(w, j, lesson, row), true
	case lesson.Parents[j] != nil:
		return t.linkLoss(j, lesson.Parents[j], row), true
	case lesson.Shown != nil:
		return t.silentLoss(w, j, lesson.Shown, row), true
	}
	return 0, false
}

// fit makes the trainer's memory large enough for a window of n messages.
func (t *Trainer) fit(n int) {
	for len(t.kept) < n {
		size := len(t.kept) + 1
		t.kept = append(t.kept, kept{pairs: make([]active, size), units: make([]units, size), back: make([]float32, 0, size)})
		t.own = append(t.own, units{})
		t.scores = append(t.scores, 0)
	}
	clear(t.own)
	t.ownBack = zeroed(t.ownBack, n)
}

// forward computes a row of links as inferRow does, and keeps what backward needs.
func (t *Trainer) forward(r *row, row *kept) {
	j := r.j
	row.answer.n = 0
	r.answerInputs(&row.answer)
	base := t.net.bias
	t.net.add(&base, &row.answer)
	scores := t.scores[:j+1]
	for i := j - 1; i >= 0; i-- {
		scores[i] = unjudged
		if r.judged[i] {
			a := &row.pairs[i]
			a.n = 0
			r.pairInputs(a, i)
			row.units[i] = base
			row.units[i].plus(&t.own[i])
			t.net.add(&row.units[i], a)
			scores[i] = t.net.read(&row.units[i])
		}
		r.pass(i)
	}
	row.pairs[j].n = 0
	row.pairs[j].set(pairNone, 1)
	row.units[j] = base
	t.net.add(&row.units[j], &row.pairs[j])
	scores[j] = t.net.read(&row.units[j])
	softmax(scores, farBelow)
	copy(r.w.links.Row(j), scores)
	r.w.none[j] = scores[j]
	row.back = row.back[:j+1]
	clear(row.back)
}

// hardly is the probability of the right links below which a row is not learnt.
const hardly = 1e-8

// farBelow is what hopeless is in training. It is lower, so that a link with a score far
// below the highest is still learnt.
const farBelow = -80

// linkLoss returns the log loss of a row whose right links are known, and adds its
// gradient. Any of the right links will do: the loss is −log Σ p over them.
func (t *Trainer) linkLoss(j int, parents []int, row *kept) float64 {
	scores := t.scores[:j+1]
	if len(parents) == 0 {
		parents = []int{j}
	}
	right := float32(0)
	for _, p := range parents {
		right += scores[p]
	}
	if right < hardly {
		return 0 // none of the right ones was judged
	}
	for i, p := range scores {
		row.back[i] += p
	}
	for _, p := range parents {
		row.back[p] -= scores[p] / right
	}
	return -math.Log(float64(right))
}

// silentLoss returns the log loss of a row whose message shows no reply, and adds its
// gradient. The message answers nothing, or something that was not shown as a reply: with
// the chance rᵢ that a link to i is shown, the loss is −log(p_none + Σᵢ pᵢ(1−rᵢ)).
func (t *Trainer) silentLoss(w *window, j int, shown *Shown, row *kept) float64 {
	scores := t.scores[:j+1]
	author := w.entries[j].author
	silent := float32(1e-9) + scores[j]
	for i, p := range scores[:j] {
		cell := shownCell(j-i, w.entries[i].author == author)
		row.back[i] = p * float32(1-shown.chance(cell))
		silent += row.back[i]
	}
	for i, p := range scores[:j] {
		belongs := row.back[i] / silent
		if belongs > 0.01 {
			shown.hidden[shownCell(j-i, w.entries[i].author == author)] += float64(belongs)
		}
		row.back[i] = p - belongs
	}
	row.back[j] = scores[j] - scores[j]/silent
	return -math.Log(float64(silent))
}

// askTeachers lets every teacher judge the window, and keeps the mean of their rows.
func (t *Trainer) askTeachers(teachers []*Network) {
	if len(teachers) == 0 {
		return
	}
	w, n := &t.workspace.window, t.workspace.n
	t.workspace.row.blind = false
	t.taught = append(t.taught[:0], make([]float32, n*(n+1))...)
	for _, teacher := range teachers {
		w.begin(n, len(w.people))
		Weights{Quiet: teacher, Busy: teacher}.infer(&t.workspace)
		share := 1 / float32(len(teachers))
		for j := range n {
			row := t.taught[j*(n+1):]
			for i, p := range w.links.Row(j) {
				row[i] += share * p
			}
			row[j] += share * w.none[j]
		}
	}
}

// ownShare is the weight of what people marked; the rest is the weight of the teachers.
const ownShare = 0.5

// taughtLoss returns the cross entropy of a row with respect to its target, and adds its
// gradient. The target is the teachers' row, adapted to what is known: if the right links
// are known, they have half of it; if the message shows no reply, each link counts times
// the chance that it is not shown.
func (t *Trainer) taughtLoss(w *window, j int, lesson *Lesson, row *kept) float64 {
	scores, target := t.scores[:j+1], t.taught[j*(w.n+1):j*(w.n+1)+j+1]
	switch parents := lesson.Parents[j]; {
	case parents != nil:
		if len(parents) == 0 {
			parents = []int{j}
		}
		right := float32(0)
		for _, p := range parents {
			right += scores[p]
		}
		if right < hardly {
			return 0
		}
		for i := range target {
			target[i] *= 1 - ownShare
		}
		for _, p := range parents {
			target[p] += ownShare * scores[p] / right
		}
	case lesson.Shown != nil:
		sum := target[j]
		for i := range target[:j] {
			cell := shownCell(j-i, w.entries[i].author == w.entries[j].author)
			target[i] *= float32(1 - lesson.Shown.chance(cell))
			sum += target[i]
		}
		for i := range target {
			target[i] /= sum
			if i < j && target[i] > 0.01 {
				lesson.Shown.hidden[shownCell(j-i, w.entries[i].author == w.entries[j].author)] += float64(target[i])
			}
		}
	}
	loss := 0.0
	for i, p := range scores {
		row.back[i] = p - target[i]
		if target[i] > 1e-3 {
			loss -= float64(target[i]) * math.Log(float64(p)+1e-9)
		}
	}
	return loss
}

// backward adds to the gradient of the weights what follows from the gradient of a row's
// scores.
func (t *Trainer) backward(row *kept) {
	j := len(row.back) - 1
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
			t.ownBack[i].plus(&back)
		}
	}
	t.gradient.bias.plus(&answerSide)
	t.gradient.take(&row.answer, &answerSide)
}

// take adds to a gradient that of the weights of active inputs, from the gradient of the
// hidden units.
func (net *Network) take(a *active, back *units) {
	for k := range a.n {
		addTimes(net.in[a.index[k]][:], back[:], a.value[k])
	}
}

// Step changes the weights by the gradient that was added since the last step.
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

// stepper holds what a step is made with: what the gradient is multiplied by, the rate with
// Adam's correction of the first steps, what weights are multiplied by, and how much of
// their mean is kept.
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
