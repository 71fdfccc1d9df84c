package affinity

import "heddle/graph"

// Row is what a network judges of one message of a window that teaches. Training, which lab
// does, needs no more of this package.
type Row struct {
	Message int
	// Known is what the message is shown to answer, -1 for nothing.
	Known  int
	Answer Inputs
	// Pairs are the inputs of each candidate together with the message, and last those of
	// "none". They are empty for a message that is not judged. There are none if it is known what
	// the message answers.
	Pairs []Inputs
	// Candidate are the inputs that the message has as a candidate of later ones.
	Candidate Inputs
}

// Teach goes through a window, oldest first. judge returns the probabilities of the pairs of
// a row, on which later rows depend. A message for which blind reports true is judged as if
// it were the last one.
func Teach(window []*graph.Message, blind func(j int) bool, judge func(row *Row) []float32) {
	w := newWindow(window, len(window))
	r := newRow(w)
	for j := range w.n {
		r.blind = blind(j)
		r.start(j)
		e := &w.entries[j]
		row := Row{Message: j, Known: e.certain}
		e.candidateInputs(&row.Candidate)
		known := r.known()
		if !known && j > 0 {
			r.fill(&row)
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

// fill sets the inputs of the row that was started.
func (r *row) fill(row *Row) {
	row.Pairs = make([]Inputs, r.j+1)
	r.answerInputs(&row.Answer)
	for i := r.j - 1; i >= 0; i-- {
		if r.judged[i] {
			r.pairInputs(&row.Pairs[i], i)
		}
		r.pass(i)
	}
	row.Pairs[r.j].set(pairNone, 1)
}
