package affinity

import "math"

// room is the memory that one window after another is judged in.
type room struct {
	window
	row    row
	own    []units
	scores []float32
}

// detach returns the room's comparison, and leaves the room without one.
func (m *room) detach() *comparison {
	c := m.comparison
	m.comparison = nil
	return c
}

// infer computes the links of every message of the window, oldest first, and how
// the window hangs together.
func (net *Network) infer(m *room) {
	m.row.begin(&m.window)
	m.own, m.scores = zeroed(m.own, m.stride), zeroed(m.scores, m.stride+1)
	for j := range m.n {
		m.row.start(j)
		net.inferRow(&m.row, m.own, m.scores[:j+1])
		m.settle(j, m.entries)
		net.candidate(&m.window, j, &m.own[j])
	}
}

// candidate adds the inputs that message i has as a candidate, whatever the answer.
func (net *Network) candidate(w *window, i int, u *units) {
	var a active
	w.entries[i].candidateInputs(&a)
	net.add(u, &a)
}

// inferRow computes one row of links. The last score is that of "none".
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

// page is the length from which on a window may begin in the middle of a channel.
const page = 100

// atStart returns how much less "none" weighs for message j because the window begins
// where the channel does. The network has learnt from windows that were cut out of
// long logs: there the first messages often answer something before the window, which
// counts as none. covered is how often people answer one of the last j messages, begun
// how often they answer nothing. What follows from these counts half: all of it makes one
// talk of two that begin a channel.
func (w *window) atStart(j int) float32 {
	const begun, counted = 0.18, 0.5
	if !w.whole {
		return 0
	}
	covered := 1 - 0.6*float32(math.Exp2(-float64(j-1)/3))
	return counted * float32(math.Log(float64((begun+(1-begun)*(1-covered))/begun)))
}
