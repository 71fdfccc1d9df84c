package train

import (
	"math"
	"math/rand/v2"

	"heddle/graph"
	"heddle/graph/affinity"
)

// trainer fits a network to windows with known links. It descends the gradient of the mean
// log loss with AdamW (Loshchilov and Hutter, ICLR 2019), whose constants are the usual
// ones. The same lessons in the same order lead to the same weights. A trainer is used by
// one goroutine.
type trainer struct {
	net           affinity.Network
	gradient      affinity.Network
	first, second affinity.Network // running means of the gradient and of its square
	mean          affinity.Network // the running mean of the weights, which is the result
	steps         int
	rows          int // since the last step
	kept          []kept
	own           []affinity.Units // by candidate: what its own inputs add to the hidden units
	ownBack       []affinity.Units // by candidate: the gradient of that
	scores        []float32
	taught        [][]float32 // by message: the mean probabilities of the teachers, the last of them for "none"
}

const (
	firstDecay  = 0.9
	secondDecay = 0.999
	meanDecay   = 0.999
	spread      = 0.15 // the standard deviation of the first weights
	weightDecay = 1e-2
	ignorable   = 5e-4 // gradients of scores that are smaller are taken for 0
)

// newTrainer returns a trainer that begins with small random weights, drawn from a seed.
func newTrainer(seed uint64) *trainer {
	t := new(trainer)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // weights are no secrets
	for i := range t.net.In {
		for h := 1; h < len(affinity.Units{}); h++ {
			t.net.In[i][h] = float32(random.NormFloat64() * spread)
		}
	}
	for h := 1; h < len(affinity.Units{}); h++ {
		t.net.Bias[h] = float32(random.NormFloat64() * spread)
		t.net.Out[h] = float32(random.NormFloat64() * 2 * spread)
	}
	t.mean = t.net
	return t
}

// continued returns a trainer that begins with the weights of a network.
func continued(net *affinity.Network) *trainer { return &trainer{net: *net, mean: *net} }

// network returns the network that was learnt so far.
func (t *trainer) network() *affinity.Network {
	net := t.mean
	return &net
}

// exercise is a window, oldest first, with what is known about its links.
type exercise struct {
	Window []*graph.Message
	// Parents[j] are the indices of what message j answers. They are empty if it answers
	// nothing in the window, and nil if that is not known.
	Parents [][]int
	// Hidden[j] reports whether message j is a reply that the window does not show.
	Hidden []bool
	// Shown is set if messages with unknown parents show no reply and might have. Its
	// chances are learnt.
	Shown *shown
	// Blind[j] hides from row j what was said after message j, as if that were the trigger.
	Blind []bool
	// Weight[j] is how much row j counts. If Weight is nil, all rows count alike.
	Weight []float32
	// Teachers are networks whose mean the trainer learns, together with the rest.
	Teachers []*affinity.Network
}

// kept is what backward needs of one row.
type kept struct {
	affinity.Row

	units []affinity.Units // by candidate, and of "none"
	back  []float32        // the gradient of the scores; empty for a row that is not learnt
}

// learn adds the gradient of a lesson. It returns the sum of the log losses of the rows
// that were learnt, and their number.
func (t *trainer) learn(lesson exercise) (loss float64, rows int) {
	blind := func(j int) bool { return lesson.Blind != nil && lesson.Blind[j] }
	t.askTeachers(&lesson)
	n := len(lesson.Window)
	t.fit(n)
	affinity.Teach(lesson.Window, blind, func(row *affinity.Row) []float32 {
		t.forward(&t.net, row, farBelow)
		if lost, learnt := t.learnRow(&lesson, &t.kept[row.Message]); learnt {
			loss, rows = loss+lost, rows+1
		}
		if lesson.Shown != nil {
			lesson.Shown.count(row, &lesson)
		}
		return t.scores[:len(row.Pairs)]
	})
	if lesson.Shown != nil {
		lesson.Shown.fade()
	}
	for j := range n {
		if back := t.kept[j].back; len(back) > 0 {
			if lesson.Weight != nil {
				for i := range back {
					back[i] *= lesson.Weight[j]
				}
			}
			t.backward(&t.kept[j])
		}
	}
	for i := range n {
		take(&t.gradient, &t.kept[i].Candidate, &t.ownBack[i])
	}
	t.rows += rows
	return loss, rows
}

// learnRow keeps the gradient of the log loss of a row that was judged and returns that
// loss, if anything is known of its links that the window does not show.
func (t *trainer) learnRow(lesson *exercise, row *kept) (loss float64, learnt bool) {
	j := row.Message
	if len(row.Pairs) == 0 {
		return 0, false
	}
	row.back = make([]float32, j+1)
	switch {
	case len(lesson.Teachers) > 0:
		return t.taughtLoss(lesson, row), true
	case lesson.Parents[j] != nil:
		return t.linkLoss(j, lesson.Parents[j], row), true
	case lesson.Shown != nil:
		return t.silentLoss(lesson, row), true
	}
	row.back = nil
	return 0, false
}

// fit begins a window of n messages.
func (t *trainer) fit(n int) {
	t.kept, t.scores = make([]kept, n), make([]float32, n+1)
	t.own, t.ownBack = make([]affinity.Units, n), make([]affinity.Units, n)
}

// unjudged is the score of a message that is no candidate. Its probability is 0.
const unjudged = -1e30

// forward judges a row by a network, and keeps what backward needs.
func (t *trainer) forward(net *affinity.Network, of *affinity.Row, floor float32) {
	row := &t.kept[of.Message]
	row.Row = *of
	net.Add(&t.own[row.Message], &row.Candidate)
	if len(row.Pairs) == 0 {
		return
	}
	base := net.Bias
	net.Add(&base, &row.Answer)
	row.units = make([]affinity.Units, len(row.Pairs))
	scores, none := t.scores[:len(row.Pairs)], len(row.Pairs)-1
	for i := range row.Pairs {
		scores[i] = unjudged
		if row.Pairs[i].N == 0 {
			continue
		}
		row.units[i] = base
		if i < none {
			plus(&row.units[i], &t.own[i])
		}
		net.Add(&row.units[i], &row.Pairs[i])
		scores[i] = net.Read(&row.units[i])
	}
	affinity.Softmax(scores, floor)
}

func plus(u, o *affinity.Units) {
	for h := range u {
		u[h] += o[h]
	}
}

// hardly is the probability of the right links below which a row is not learnt.
const hardly = 1e-8

// farBelow is what hopeless is in training. It is lower, so that a link with a score far
// below the highest is still learnt.
const farBelow = -80

// linkLoss returns the log loss of a row whose right links are known, and adds its
// gradient. Any of the right links will do: the loss is −log Σ p over them.
func (t *trainer) linkLoss(j int, parents []int, row *kept) float64 {
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
func (t *trainer) silentLoss(lesson *exercise, row *kept) float64 {
	j := row.Message
	scores := t.scores[:j+1]
	silent := float32(1e-9) + scores[j]
	for i, p := range scores[:j] {
		row.back[i] = p * float32(1-lesson.Shown.chance(lesson.cell(i, j)))
		silent += row.back[i]
	}
	for i, p := range scores[:j] {
		belongs := row.back[i] / silent
		if belongs > 0.01 {
			lesson.Shown.hidden[lesson.cell(i, j)] += float64(belongs)
		}
		row.back[i] = p - belongs
	}
	row.back[j] = scores[j] - scores[j]/silent
	return -math.Log(float64(silent))
}

// cell returns the kind of a link between two messages of the window.
func (l *exercise) cell(i, j int) int {
	return shownCell(j-i, l.Window[i].Author == l.Window[j].Author)
}

// hopeless is what farBelow is for teachers, as when a channel is judged.
const hopeless = -24

// askTeachers lets every teacher judge the window, and keeps the mean of their rows.
func (t *trainer) askTeachers(lesson *exercise) {
	n := len(lesson.Window)
	t.taught = make([][]float32, n)
	for j := range t.taught {
		t.taught[j] = make([]float32, j+1)
	}
	share := 1 / float32(len(lesson.Teachers))
	for _, teacher := range lesson.Teachers {
		t.fit(n)
		affinity.Teach(lesson.Window, func(int) bool { return false }, func(row *affinity.Row) []float32 {
			t.forward(teacher, row, hopeless)
			p := t.scores[:len(row.Pairs)]
			for i := range p {
				t.taught[row.Message][i] += share * p[i]
			}
			return p
		})
	}
}

// ownShare is the weight of what people marked; the rest is the weight of the teachers.
const ownShare = 0.5

// taughtLoss returns the cross entropy of a row with respect to its target, and adds its
// gradient. The target is the teachers' row, adapted to what is known: if the right links
// are known, they have half of it; if the message shows no reply, each link counts times
// the chance that it is not shown.
func (t *trainer) taughtLoss(lesson *exercise, row *kept) float64 {
	j := row.Message
	scores, target := t.scores[:j+1], t.taught[j]
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
			target[i] *= float32(1 - lesson.Shown.chance(lesson.cell(i, j)))
			sum += target[i]
		}
		for i := range target {
			target[i] /= sum
			if i < j && target[i] > 0.01 {
				lesson.Shown.hidden[lesson.cell(i, j)] += float64(target[i])
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
func (t *trainer) backward(row *kept) {
	j := len(row.back) - 1
	var answerSide affinity.Units
	for i, g := range row.back {
		if math.Abs(float64(g)) < ignorable {
			continue
		}
		u := &row.units[i]
		var back affinity.Units
		back[0] = g
		for h := 1; h < len(affinity.Units{}); h++ {
			if u[h] > 0 {
				t.gradient.Out[h] += g * u[h]
				back[h] = g * t.net.Out[h]
			}
		}
		plus(&answerSide, &back)
		take(&t.gradient, &row.Pairs[i], &back)
		if i < j {
			plus(&t.ownBack[i], &back)
		}
	}
	plus(&t.gradient.Bias, &answerSide)
	take(&t.gradient, &row.Answer, &answerSide)
}

// take adds to a gradient that of the weights of active inputs, from the gradient of the
// hidden units.
func take(gradient *affinity.Network, a *affinity.Inputs, back *affinity.Units) {
	for k := range a.N {
		to, x := &gradient.In[a.Index[k]], a.Value[k]
		for h := range to {
			to[h] += float32(x * back[h])
		}
	}
}

// step changes the weights by the gradient that was added since the last step.
func (t *trainer) step(rate float64) {
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
	for i := range t.net.In {
		s.step(&t.net.In[i], &t.gradient.In[i], &t.first.In[i], &t.second.In[i], &t.mean.In[i])
	}
	s.step(&t.net.Bias, &t.gradient.Bias, &t.first.Bias, &t.second.Bias, &t.mean.Bias)
	s.step(&t.net.Out, &t.gradient.Out, &t.first.Out, &t.second.Out, &t.mean.Out)
	t.gradient = affinity.Network{}
	t.rows = 0
}

// stepper holds what a step is made with: what the gradient is multiplied by, the rate with
// Adam's correction of the first steps, what weights are multiplied by, and how much of
// their mean is kept.
type stepper struct{ scale, rate, shrink, keep float32 }

func (s stepper) step(weight, gradient, first, second, mean *affinity.Units) {
	for h := range weight {
		g := gradient[h] * s.scale
		first[h] = firstDecay*first[h] + (1-firstDecay)*g
		second[h] = secondDecay*second[h] + (1-secondDecay)*g*g
		weight[h] = weight[h]*s.shrink - s.rate*first[h]/(float32(math.Sqrt(float64(second[h])))+1e-8)
		mean[h] = s.keep*mean[h] + (1-s.keep)*weight[h]
	}
}
