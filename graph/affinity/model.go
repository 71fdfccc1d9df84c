// Package affinity finds which earlier message each message of a channel answers. For every
// message of a window, a small network computes the probability that it answers each of the
// messages before it, or none of them. Package graph derives conversations from these
// links.
//
// It is pure: everything is computed from the window alone. Times are measured in the
// window's own pace, and no word of any language is known in advance.
//
// # How a window is judged
//
// features.go reads the texts of the messages, and window.go compares each two of them.
// Then each message in turn, oldest first, is the answer of a row (model.go): row.go chooses
// its candidates, which it may answer, and computes the inputs of each pair (layout.go lists
// them). network.go turns inputs into scores and scores into probabilities. slow.go corrects
// scores in slow channels and after pauses. The belief (window.go) holds how likely any two
// messages are connected, which later rows have as inputs.
//
// Teach hands out the inputs of rows, from which lab/train learns the weights.
package affinity

import (
	"math"
	"runtime"

	"heddle/graph"
)

// Model is a graph.Affinity with learnt weights. It may be used by many goroutines.
type Model struct {
	weights Weights
	turns   chan []float32 // one for each window that may be judged at a time, with memory for it
}

// NewModel returns a model with these weights. It leaves one processor to others, if there
// are several: a burst of questions would otherwise delay the answers to the first of them.
func NewModel(weights Weights) *Model {
	m := &Model{weights, make(chan []float32, max(1, runtime.GOMAXPROCS(0)-1))}
	for range cap(m.turns) {
		m.turns <- nil
	}
	return m
}

// Weights returns the weights of the model.
func (m *Model) Weights() Weights { return m.weights }

// Links returns the links of a window. It takes the last message for a mention, which does
// not change what the others answer.
func (m *Model) Links(window []*graph.Message) graph.Links {
	if len(window) == 0 {
		return graph.NewLinks(0)
	}
	memory := <-m.turns // first come, first served
	defer func() { m.turns <- memory }()
	w := newWindow(window, len(window)-1, memory)
	memory = w.memory
	row := m.weights.infer(w)
	if needs := m.weights.Needs; needs != nil && len(window) > 1 {
		judged, asks := needs.Judge(row.needInputs(window))
		w.links.Needs, w.links.Asks = judged, needs.Odds(asks)
	}
	return w.links
}

// infer computes the links of every message of a window, oldest first, and with them the
// belief. It returns the last row. A row of links is the softmax of its scores, after the
// corrections for the beginning of the channel, for a slow channel and for pauses.
func (s Weights) infer(w *window) *row {
	w.whole = w.before < page
	scores := make([]float32, w.n+1)
	r, quiet, busy := newRow(w), scorer{net: s.Quiet, scores: scores}, scorer{net: s.Busy, scores: scores}
	for j := range w.n {
		r.start(j)
		if !r.known() {
			by := &quiet
			if w.isBusy(j) {
				by = &busy
			}
			scores := by.scoreRow(&r)
			scores[j] -= w.atStart(j)
			w.correctSlow(j, scores)
			w.correctPauses(j, scores)
			Softmax(scores, hopeless)
			copy(w.links.Row(j), scores)
			w.none[j] = scores[j]
		}
		w.settle(j, w.entries)
	}
	return &r
}

// scorer scores the rows of a window by one network.
type scorer struct {
	net    *Network
	own    []Units   // by candidate: what its own inputs add to the hidden units
	scores []float32 // memory
}

// scoreRow returns the scores of all candidates of the row that was started, and last that
// of "none". The shares of candidates alone are computed once the first row needs them, as
// most windows are judged by one network.
func (g *scorer) scoreRow(r *row) []float32 {
	net, j, a := g.net, r.j, &r.inputs
	for i := len(g.own); i < j; i++ {
		a.N = 0
		r.w.entries[i].candidateInputs(a)
		g.own = append(g.own, Units{})
		net.Add(&g.own[i], a)
	}
	scores, base := g.scores[:j+1], net.Bias
	a.N = 0
	r.answerInputs(a)
	net.Add(&base, a)
	for i := j - 1; i >= 0; i-- {
		scores[i] = unjudged
		if r.judged[i] {
			a.N = 0
			r.pairInputs(a, i)
			u, own := base, &g.own[i]
			for h := range u {
				u[h] += own[h]
			}
			net.Add(&u, a)
			scores[i] = net.Read(&u)
		}
		r.pass(i)
	}
	a.N = 0
	a.set(pairNone, 1)
	net.Add(&base, a)
	scores[j] = net.Read(&base)
	return scores
}

// known reports whether a reference shows what the answer answers. Then it finishes the row.
func (r *row) known() bool {
	switch w, j := r.w, r.j; {
	case r.answer.certain >= 0:
		w.links.Row(j)[r.answer.certain] = 1
	case r.answer.outside:
		w.none[j] = 1
	default:
		return false
	}
	return true
}

// page is the least number of messages of a window that may begin in the middle of a
// channel: one page of Discord's API. A shorter window holds the whole channel.
const page = 100

// atStart returns the correction of the score of "none" for message j if the window begins
// where the channel does. The network has learnt from windows out of long logs. Their first
// messages often answer something before the window, which counts as none.
//
// With begun, the share of messages that answer nothing, and covered, the share of answers
// whose target is one of the last j messages, "none" was right in training with the
// probability begun + (1-begun)(1-covered), and is right here with begun. atStart returns
// half of the logarithm of the ratio. All of it would make one conversation of two that
// begin a channel; docs/context-quality.md has the figures. begun is an estimate. covered
// lies between the annotated logs: in irc-linux, 24% of the links lead to the message
// right before and 63% to one of the last four, in PyScript 69% and 94%.
func (w *window) atStart(j int) float32 {
	const begun, counted = 0.18, 0.5
	if !w.whole {
		return 0
	}
	covered := 1 - 0.6*float32(math.Exp2(-float64(j-1)/3))
	return counted * float32(math.Log(float64((begun+(1-begun)*(1-covered))/begun)))
}

// Row is what a network judges of one message of a window that teaches. It is all that
// training, in lab, needs of this package.
type Row struct {
	Message int
	// Known is the message that it certainly answers, -1 for none.
	Known  int
	Answer Inputs
	// Pairs are the inputs of each older message together with the message, empty for those
	// that are no candidates, and last those of "none". There are none if a reference shows
	// what the message answers.
	Pairs []Inputs
	// Candidate are the message's inputs as a candidate of later ones.
	Candidate Inputs
}

// Teach goes through a window, oldest first. judge returns the probabilities of the pairs of
// a row, on which later rows depend. A message for which blind reports true is judged as if
// it were the last one.
func Teach(window []*graph.Message, blind func(j int) bool, judge func(row *Row) []float32) {
	w := newWindow(window, len(window), nil)
	r := newRow(w)
	for j := range w.n {
		r.blind = blind(j)
		r.start(j)
		e := &w.entries[j]
		row := Row{Message: j, Known: e.certain}
		e.candidateInputs(&row.Candidate)
		known := r.known()
		if !known && j > 0 {
			row.Pairs = make([]Inputs, j+1)
			r.answerInputs(&row.Answer)
			for i := j - 1; i >= 0; i-- {
				if r.judged[i] {
					r.pairInputs(&row.Pairs[i], i)
				}
				r.pass(i)
			}
			row.Pairs[j].set(pairNone, 1)
		}
		p := judge(&row)
		switch {
		case known:
		case j == 0:
			w.none[0] = 1
		default:
			copy(w.links.Row(j), p)
			w.none[j] = p[j]
		}
		w.settle(j, w.entries)
	}
}
