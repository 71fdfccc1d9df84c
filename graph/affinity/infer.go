package affinity

// infer computes the links of every message of the window, oldest first, and how
// the window hangs together.
func (net *Network) infer(w *window) {
	r := newRow(len(w.people))
	own := make([]units, w.n)
	scores := make([]float32, w.n+1)
	for j := range w.n {
		r.start(w, j)
		net.inferRow(r, own, scores[:j+1])
		w.settle(j, w.entries)
		net.candidate(w, j, &own[j])
	}
}

// candidate adds what a message says about itself as a candidate.
func (net *Network) candidate(w *window, i int, u *units) {
	var a active
	w.entries[i].candidateInputs(&a)
	net.add(u, &a)
}

// inferRow computes one row of links. The last score is that of "none".
func (net *Network) inferRow(r *row, own []units, scores []float32) {
	w, j, n := r.w, r.j, r.w.n
	if r.answer.certain >= 0 {
		w.link[j*n+r.answer.certain] = 1
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
		a.n = 0
		r.pairInputs(a, i)
		scores[i] = net.score(&base, &own[i], a)
		r.pass(i)
	}
	a.n = 0
	a.set(pairNone, 1)
	net.add(&base, a)
	scores[j] = net.read(&base)
	softmax(scores, hopeless)
	copy(w.link[j*n:j*n+j], scores)
	w.none[j] = scores[j]
}
