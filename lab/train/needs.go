package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"heddle/graph/affinity"
	"heddle/lab/eval"
)

// How the network that judges what questions need is trained.
const (
	needEpochs  = 10
	needBatch   = 16 // questions
	needRate    = 0.01
	needDecay   = 0.03
	needNothing = 3 // how much a question counts that needs nothing
	needInOrder = 0.5
	askSteps    = 20000
	askRate     = 1
	// softness is how sharply the least likely of the needed messages stands for all of
	// them, and perThousand how much each thousand characters before it weighs.
	softness    = 3
	perThousand = 5
)

// needTrainer fits that network by AdamW, as trainer does the networks of links.
type needTrainer struct {
	net, gradient, first, second affinity.Needs
	steps                        int
}

// Needs fits the network that judges what questions need to questions of which that is
// known. The links are those of a model.
func Needs(ctx context.Context, model *affinity.Model, questions []eval.Asked, seed uint64, done func()) (*affinity.Needs, error) {
	inputs := make([][]affinity.NeedInputs, len(questions))
	for k := range questions {
		inputs[k] = model.NeedInputs(questions[k].Window)
	}
	t, random := new(needTrainer), rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // weights are no secrets
	t.begin(random)
	steps := needEpochs * len(questions)
	for step := 0; step < steps; {
		for _, k := range random.Perm(len(questions)) {
			t.learn(inputs[k], &questions[k])
			if step++; step%needBatch == 0 {
				t.step(needRate * (1 - float64(step)/float64(steps)))
			}
			done()
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	t.learnAsks(inputs, questions)
	return &t.net, nil
}

// learnAsks fits the model of whether a question needs any message, by descending the gradient
// of the mean log loss.
func (t *needTrainer) learnAsks(inputs [][]affinity.NeedInputs, questions []eval.Asked) {
	shown := make([]affinity.AskInputs, len(inputs))
	for k := range inputs {
		if len(inputs[k]) > 0 {
			_, shown[k] = t.net.Judge(inputs[k])
		}
	}
	for range askSteps {
		var gradient [len(affinity.AskInputs{})]float64
		for k, x := range shown {
			odds := t.net.Odds(x)
			off := odds / (1 + odds)
			if questions[k].Kind != "none" {
				off--
			}
			for i := range x {
				gradient[i] += off * float64(x[i])
			}
		}
		for i := range gradient {
			t.net.Asks[i] -= float32(askRate * gradient[i] / float64(len(shown)))
		}
	}
}

// begin draws the first weights.
func (t *needTrainer) begin(random *rand.Rand) {
	scale := 1 / math.Sqrt(float64(len(affinity.NeedInputs{})))
	for h := range t.net.In {
		for k := range t.net.In[h] {
			t.net.In[h][k] = float32(random.NormFloat64() * scale)
		}
		t.net.Out[h] = float32(random.NormFloat64() / math.Sqrt(float64(len(t.net.Out))))
	}
}

// learn adds the gradient of a question. One half of its loss is the log loss of every
// message. The other is about their order: log(1 + c), where c is how much text that is not
// needed comes before everything that is.
func (t *needTrainer) learn(inputs []affinity.NeedInputs, q *eval.Asked) {
	scores, back := make([]float64, len(inputs)), make([]float64, len(inputs))
	units := make([]unitsOfNeed, len(inputs))
	for i := range inputs {
		scores[i] = float64(t.net.Score(&inputs[i], &units[i]))
		back[i] = (1 - needInOrder) * logistic(scores[i])
		if q.Needed[i] {
			back[i] -= 1 - needInOrder
		}
	}
	order(scores, back, q)
	weight := 1.0
	if q.Kind == "none" {
		weight = needNothing
	}
	for i := range inputs {
		t.backward(&inputs[i], &units[i], float32(weight*back[i]))
	}
}

type unitsOfNeed = [len(affinity.Needs{}.Out)]float32

// order adds the gradient of the loss of the order.
func order(scores, back []float64, q *eval.Asked) {
	least, sum := math.Inf(1), 0.0
	for i, needed := range q.Needed {
		if needed {
			least = min(least, scores[i])
		}
	}
	if math.IsInf(least, 1) {
		return
	}
	for i, needed := range q.Needed {
		if needed {
			sum += math.Exp(-softness * (scores[i] - least))
		}
	}
	last, before := least-math.Log(sum)/softness, 0.0
	for i, needed := range q.Needed {
		if !needed {
			before += q.Length(i) / 1000 * logistic(scores[i]-last)
		}
	}
	down := 0.0
	for i, needed := range q.Needed {
		if !needed {
			p := logistic(scores[i] - last)
			g := needInOrder * perThousand * q.Length(i) / 1000 * p * (1 - p) / (1 + before)
			back[i] += g
			down += g
		}
	}
	for i, needed := range q.Needed {
		if needed {
			back[i] -= down * math.Exp(-softness*(scores[i]-least)) / sum
		}
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// backward adds the gradient of a message's score.
func (t *needTrainer) backward(x *affinity.NeedInputs, units *unitsOfNeed, g float32) {
	for k := range x {
		t.gradient.Linear[k] += g * x[k]
	}
	for h, u := range units {
		if u <= 0 {
			continue
		}
		t.gradient.Out[h] += g * u
		inner := g * t.net.Out[h]
		for k := range x {
			t.gradient.In[h][k] += inner * x[k]
		}
	}
}

// step moves the weights against the gradient.
func (t *needTrainer) step(rate float64) {
	t.steps++
	bias1, bias2 := 1-math.Pow(firstDecay, float64(t.steps)), 1-math.Pow(secondDecay, float64(t.steps))
	move := func(w, gradient, first, second []float32) {
		for k := range w {
			g := float64(gradient[k]) / needBatch
			first[k] = float32(firstDecay*float64(first[k]) + (1-firstDecay)*g)
			second[k] = float32(secondDecay*float64(second[k]) + (1-secondDecay)*g*g)
			w[k] -= float32(rate * (float64(first[k])/bias1/(math.Sqrt(float64(second[k])/bias2)+1e-8) + needDecay*float64(w[k])))
		}
	}
	for h := range t.net.In {
		move(t.net.In[h][:], t.gradient.In[h][:], t.first.In[h][:], t.second.In[h][:])
	}
	move(t.net.Out[:], t.gradient.Out[:], t.first.Out[:], t.second.Out[:])
	move(t.net.Linear[:], t.gradient.Linear[:], t.first.Linear[:], t.second.Linear[:])
	t.gradient = affinity.Needs{}
}
