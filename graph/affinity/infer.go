package affinity

import "math"

// workspace is the memory in which a window is judged. It is used for one window after
// another.
type workspace struct {
	window
	row    row
	own    []units
	scores []float32
}

// detach takes the comparison out of the workspace and returns it.
func (m *workspace) detach() *comparison {
	c := m.comparison
	m.comparison = nil
	return c
}

// infer computes the links of every message of the window, oldest first, and with them the
// belief.
func (net *Network) infer(m *workspace) {
	m.row.begin(&m.window)
	m.own, m.scores = zeroed(m.own, m.stride), zeroed(m.scores, m.stride+1)
	for j := range m.n {
		m.row.start(j)
		net.inferRow(&m.row, m.own, m.scores[:j+1])
		m.settle(j, m.entries)
		net.candidate(&m.window, j, &m.own[j])
	}
}

// candidate adds to the hidden units those inputs of message i as a candidate that are the
// same for every answer.
func (net *Network) candidate(w *window, i int, u *units) {
	var a active
	w.entries[i].candidateInputs(&a)
	net.add(u, &a)
}

// inferRow computes one row of links: the softmax of the scores of all candidates and of
// "none", whose score is the last.
func (net *Network) inferRow(r *row, own []units, scores []float32) {
	w, j := r.w, r.j
	if r.answer.certain >= 0 {
		w.links.Row(j)[r.answer.certain] = 1
		return
	}
	if r.answer.outside {
		w.none[j] = 1
		return
	}
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
	scores[j] = net.read(&base) - w.atStart(j)
	w.correctSlow(j, scores)
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
