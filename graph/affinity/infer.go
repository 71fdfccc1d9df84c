package affinity

import (
	"math"

	"heddle/graph"
)

// Model is a graph.Affinity with learnt weights. It may be used by many goroutines.
type Model struct{ weights Weights }

// NewModel returns a model with these weights.
func NewModel(weights Weights) *Model { return &Model{weights} }

// Weights returns the weights of the model.
func (m *Model) Weights() Weights { return m.weights }

// Links returns the probabilities of what each message of a window answers. The last
// message is taken for a mention: it does not change what the others answer.
func (m *Model) Links(window []*graph.Message) graph.Links {
	if len(window) == 0 {
		return graph.NewLinks(0)
	}
	w := newWindow(window, len(window)-1)
	row := m.weights.infer(w)
	if needs := m.weights.Needs; needs != nil && len(window) > 1 {
		judged, asks := needs.Judge(row.needInputs(window))
		w.links.Needs, w.links.Asks = judged, needs.Odds(asks)
	}
	return w.links
}

// judging is a window that is being judged, row by row.
type judging struct {
	*window

	row         row
	quiet, busy scorer
}

// scorer scores the rows of a window by one network.
type scorer struct {
	net    *Network
	own    []Units   // by candidate: what its own inputs add to the hidden units
	scores []float32 // memory
}

// scoreRow returns the scores of the row that was started. What candidates alone add to
// the hidden units is computed once the first row needs it, as most windows are judged by
// one network.
func (g *scorer) scoreRow(r *row) []float32 {
	for i := len(g.own); i < r.j; i++ {
		g.own = append(g.own, Units{})
		g.net.candidate(r.w, i, &g.own[i])
	}
	scores := g.scores[:r.j+1]
	g.net.scoreRow(r, g.own, scores)
	return scores
}

// infer computes the links of every message of a window, oldest first, and with them the
// belief. It returns the last row.
func (s Weights) infer(w *window) *row {
	w.whole = w.before < page
	scores := make([]float32, w.n+1)
	m := judging{window: w, row: newRow(w), quiet: scorer{net: s.Quiet, scores: scores}, busy: scorer{net: s.Busy, scores: scores}}
	for j := range w.n {
		m.row.start(j)
		m.inferRow()
		w.settle(j, w.entries)
	}
	return &m.row
}

// inferRow computes the row of links that was started, by the network for the pace of the
// channel before its message.
func (m *judging) inferRow() {
	r := &m.row
	if r.known() {
		return
	}
	by := &m.quiet
	if m.isBusy(r.j) {
		by = &m.busy
	}
	r.conclude(by.scoreRow(r))
}

// candidate adds to the hidden units those inputs of message i as a candidate that are the
// same for every answer.
func (net *Network) candidate(w *window, i int, u *Units) {
	var a Inputs
	w.entries[i].candidateInputs(&a)
	net.Add(u, &a)
}

// known reports whether it is known what the answer answers. If it is, the row is finished.
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

// scoreRow computes the scores of all candidates of a row, and last that of "none".
func (net *Network) scoreRow(r *row, own []Units, scores []float32) {
	j := r.j
	base := net.Bias
	a := &r.inputs
	a.N = 0
	r.answerInputs(a)
	net.Add(&base, a)
	for i := j - 1; i >= 0; i-- {
		scores[i] = unjudged
		if r.judged[i] {
			a.N = 0
			r.pairInputs(a, i)
			scores[i] = net.score(&base, &own[i], a)
		}
		r.pass(i)
	}
	a.N = 0
	a.set(pairNone, 1)
	net.Add(&base, a)
	scores[j] = net.Read(&base)
}

// conclude makes a row of links of scores: their softmax, once they are corrected for where
// the channel begins, for how slow it is and for pauses.
func (r *row) conclude(scores []float32) {
	w, j := r.w, r.j
	scores[j] -= w.atStart(j)
	w.correctSlow(j, scores)
	w.correctPauses(j, scores)
	Softmax(scores, hopeless)
	copy(w.links.Row(j), scores)
	w.none[j] = scores[j]
}

// page is the least number of messages with which a window may begin in the middle of a
// channel: one page of Discord's API. A shorter window holds the whole channel.
const page = 100

// atStart returns what is subtracted from the score of "none" for message j if the window
// begins where the channel does. The network has learnt from windows that were cut out of
// long logs. There, the first messages often answer something before the window, which
// counts as none.
//
// With begun, the share of messages that answer nothing, and covered, the share of answers
// whose target is one of the last j messages, "none" was right in training with the
// probability begun + (1-begun)(1-covered), and is right here with begun. atStart returns
// half of the logarithm of the ratio. All of it would make one talk of two that begin a
// channel; docs/context-quality.md has the figures. begun is an estimate. covered lies between
// the annotated logs: in irc-linux, 24% of the links lead to the message right before and
// 63% to one of the last four, in PyScript 69% and 94%.
func (w *window) atStart(j int) float32 {
	const begun, counted = 0.18, 0.5
	if !w.whole {
		return 0
	}
	covered := 1 - 0.6*float32(math.Exp2(-float64(j-1)/3))
	return counted * float32(math.Log(float64((begun+(1-begun)*(1-covered))/begun)))
}
