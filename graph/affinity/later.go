package affinity

// horizon is the number of messages after an answer that are searched for the people whom
// its author talks with.
const horizon = 20

// lookLater finds the people whom the author of the answer talks with soon after it, as
// these tell which talk the answer belongs to.
func (r *row) lookLater() {
	clear(r.called)
	clear(r.calls)
	clear(r.speaks)
	r.partners = r.partners[:0]
	r.nextOwn = 0
	author := r.answer.author
	for k := r.j + 1; k < min(r.end(), r.j+1+horizon); k++ {
		e := &r.w.entries[k]
		if e.author == author && r.nextOwn == 0 {
			r.nextOwn = k
		}
		if r.speaks[e.author] == 0 {
			r.speaks[e.author] = howSoon(k - r.j)
		}
		for _, other := range e.addressed {
			switch {
			case e.author == author && r.calls[other] == 0:
				r.calls[other] = howSoon(k - r.j)
			case other == author && r.called[e.author] == 0:
				r.called[e.author] = howSoon(k - r.j)
			}
		}
	}
	for p := range r.called {
		if r.called[p] > 0 || r.calls[p] > 0 {
			r.partners = append(r.partners, p)
		}
	}
}

// end returns the index after the last message that the answer's row may depend on.
func (r *row) end() int {
	if r.blind {
		return r.j + 1
	}
	return max(r.j+1, r.w.before)
}

// howSoon returns which of the steps of layout.go so many messages later is, from 1.
func howSoon(messages int) uint8 {
	switch {
	case messages <= 3:
		return 1
	case messages <= 8:
		return 2
	}
	return soon
}

// laterInputs sets the inputs of what comes after the answer.
func (r *row) laterInputs(a *Inputs) {
	a.curve(answerLaterCount, countKnots, countKnot(r.end()-1-r.j))
	if r.nextOwn > 0 {
		a.curve(answerNextOwn, countKnots, countKnot(r.nextOwn-r.j-1))
	}
	called, calls := false, false
	for _, p := range r.partners {
		called = called || r.called[p] > 0
		calls = calls || r.calls[p] > 0
	}
	a.flag(answerCalledAfter, called)
	a.flag(answerCallsAfter, calls)
}
