package affinity

import "math"

// workspace is the memory in which a window is judged. It is used for one window after
// another.
type workspace struct {
	window
	row         row
	quiet, busy judging
}

// judging is what one network makes of a window.
type judging struct {
	own    []units   // by candidate: what its own inputs add to the hidden units
	scores []float32 // of the row that is being judged
}

func (g *judging) begin(size int) {
	g.own, g.scores = g.own[:0], zeroed(g.scores, size+1)
}

// scoreRow lets the network score the row that was started, and returns the scores. What
// candidates alone add to the hidden units is computed once the first row needs it, as most
// windows are judged by one network.
func (g *judging) scoreRow(net *Network, m *workspace) []float32 {
	j := m.row.j
	if cap(g.own) < j {
		g.own = append(make([]units, 0, m.stride+m.stride/4), g.own...)
	}
	for i := len(g.own); i < j; i++ {
		g.own = g.own[:i+1]
		g.own[i] = units{}
		net.candidate(&m.window, i, &g.own[i])
	}
	scores := g.scores[:j+1]
	net.scoreRow(&m.row, g.own, scores)
	return scores
}

// detach takes the comparison out of the workspace and returns it.
func (m *workspace) detach() *comparison {
	c := m.comparison
	m.comparison = nil
	return c
}

// infer computes the links of every message of the window, oldest first, and with them the
// belief.
func (s Weights) infer(m *workspace) {
	m.row.begin(&m.window)
	m.quiet.begin(m.stride)
	m.busy.begin(m.stride)
	for j := range m.n {
		m.row.start(j)
		s.inferRow(m)
		m.settle(j, m.entries)
	}
}

// inferRow computes the row of links that was started, by the network for the pace of the
// channel before its message.
func (s Weights) inferRow(m *workspace) {
	r := &m.row
	if r.known() {
		return
	}
	if m.isBusy(r.j) {
		r.conclude(m.busy.scoreRow(s.Busy, m))
		return
	}
	r.conclude(m.quiet.scoreRow(s.Quiet, m))
}

// candidate adds to the hidden units those inputs of message i as a candidate that are the
// same for every answer.
func (net *Network) candidate(w *window, i int, u *units) {
	var a active
	w.entries[i].candidateInputs(&a)
	net.add(u, &a)
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
func (net *Network) scoreRow(r *row, own []units, scores []float32) {
	j := r.j
	base := net.bias
	a := &r.inputs
	a.n = 0
	r.answerInputs(a)
	net.add(&base, a)
	for i := j - 1; i >= 0; i-- {
		scores[i] = unjudged
		if r.judged[i] {
			a.n = 0
			r.pairInputs(a, i)
			scores[i] = net.score(&base, &own[i], a)
		}
		r.pass(i)
	}
	a.n = 0
	a.set(pairNone, 1)
	net.add(&base, a)
	scores[j] = net.read(&base)
}

// conclude makes a row of links of scores: their softmax, once they are corrected for where
// the channel begins, for how slow it is and for pauses.
func (r *row) conclude(scores []float32) {
	w, j := r.w, r.j
	scores[j] -= w.atStart(j)
	w.correctSlow(j, scores)
	w.correctPauses(j, scores)
	softmax(scores, hopeless)
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
// channel; docs/link-model.md has the figures. begun is an estimate. covered lies between
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
