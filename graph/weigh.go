package graph

import (
	"slices"
	"unicode/utf8"
)

// weighing chooses the messages of the conversation from everything that was explored,
// by what the affinity judges of it.
type weighing struct {
	*line
	exploration *exploration
	judging     judging
	belief      *belief // of judging
	refers      [][]int // by number: what each message certainly answers
	chosen      []int   // numbers in explored, oldest first
	displaced   []int   // numbers of messages that gave way to the places
}

// weigh builds the graph with an affinity. It follows references to their end before
// anything is judged, so that a chain of replies costs one judgement.
func weigh(l *line, d *draft, references *references) (*Graph, error) {
	w := newWeighing(l, references)
	defer l.memory.keepWeighing(w)
	x := w.exploration
	x.exploreRecent()
	if _, err := x.chase(x.origins(), l.options.MaxTotal); err != nil {
		return nil, err
	}
	for {
		w.weighAll()
		d.round++
		found, err := x.chase(w.chosenEntries(), 2*l.options.MaxTotal)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
	}
	if err := x.readAround(); err != nil {
		return nil, err
	}
	a := &admission{line: l, draft: d, references: references, exploration: x, weighing: w}
	return a.result(), nil
}

// newWeighing returns a weighing that uses the memory of a line.
func newWeighing(l *line, references *references) *weighing {
	m := l.memory
	x := &exploration{line: l, references: references, explored: m.explored[:0], recent: m.recent[:0]}
	j := judging{line: l, exploration: x, belief: &m.belief, asked: m.asked[:0], window: m.window[:0], numbers: m.numbers[:0]}
	return &weighing{line: l, exploration: x, judging: j, belief: j.belief}
}

// weighAll lets the affinity judge everything that was explored, and chooses.
func (w *weighing) weighAll() {
	w.judging.judge()
	p, suppositions := w.suppose()
	for number, at := range w.exploration.explored {
		w.entries[at].probability = p[number]
	}
	w.refers = w.belief.refers()
	choice := cut{
		recall: w.recallWeight(), nothing: w.nothingWeight(), room: w.options.MaxTotal,
		length: w.lengths(), refers: w.refers,
	}
	w.choose(&choice, p[:len(p)-1], suppositions)
}

// choose chooses as many messages as there is room for. If the places would not fit
// beside them, it chooses again, with less room.
func (w *weighing) choose(choice *cut, p []float64, suppositions []supposition) {
	w.chosen, w.displaced = choice.choose(p, suppositions), nil
	best, least := w.chosen, choice.chain()
	for {
		missing := w.missingPlaces()
		if missing == 0 || len(w.chosen)+missing <= w.options.MaxTotal || choice.room <= least {
			return
		}
		choice.room = max(least, min(choice.room-1, w.options.MaxTotal-missing))
		w.chosen, w.displaced = choice.choose(p, suppositions), best
	}
}

// certainWithin is how much less than 1 the probability of a certain message may be
// because of rounding.
const certainWithin = 1e-9

// suppose returns the probability of each message to be connected with the trigger, and
// the sets of messages that may be connected with it.
func (w *weighing) suppose() ([]float64, []supposition) {
	weight := w.turnWeight()
	if weight <= 0 {
		w.belief.correctBeginnings()
		p := w.belief.withLast()
		return p, w.belief.suppositions()
	}
	w.belief.linkAnswered()
	w.belief.beginTurns(w.exploration.spoken(), w.longest, weight)
	suppositions := w.belief.drawTurns(w.options.Foreseen.resume(w.entries[0].message.Channel, w.belief))
	w.belief.linkCertain()
	p := make([]float64, w.belief.size)
	for _, s := range suppositions {
		for i, together := range s.together {
			p[i] += float64(s.probability * together)
		}
	}
	for i := range p {
		if p[i] > 1-certainWithin {
			p[i] = 1
		}
	}
	p[len(p)-1] = 1
	return p, suppositions
}

// unasked multiplies the weight of recall if the trigger asks nothing. Then nothing
// shows which of the newest messages matter.
const unasked = 4

func (w *weighing) recallWeight() float64 {
	if w.entries[0].message.AsksNothing() {
		return unasked * w.options.recallWeight()
	}
	return w.options.recallWeight()
}

// nothingRight is the value of an empty conversation for a trigger that begins a talk,
// where a whole conversation is worth 1. It is small, as an answer that knows too
// little is worse than one that knows too much. docs/context-quality.md has the
// figures.
const nothingRight = 0.03

func (w *weighing) nothingWeight() float64 {
	if w.entries[0].message.AsksNothing() {
		return 0 // it refers to what was said before
	}
	return nothingRight
}

// chosenEntries returns the chosen entries, newest first.
func (w *weighing) chosenEntries() []int {
	entries := make([]int, 0, len(w.chosen))
	for _, number := range slices.Backward(w.chosen) {
		entries = append(entries, w.exploration.explored[number])
	}
	return entries
}

// lengths returns the length of every explored message, divided by the mean length of
// the trigger and the messages right before it.
func (w *weighing) lengths() []float64 {
	lengths := make([]float64, len(w.exploration.explored))
	for number, at := range w.exploration.explored {
		lengths[number] = float64(utf8.RuneCountInString(w.entries[at].message.Text))
	}
	total, counted := lengths[len(lengths)-1], 1
	for _, at := range w.exploration.recent {
		if e := &w.entries[at]; !e.pointer {
			total += lengths[e.number]
			counted++
		}
	}
	return overMean(lengths, total/float64(counted))
}

// answers reports whether a message with this reference answers its target.
func (r *Reference) answers() bool {
	return r.Kind == ReferenceReply || r.Kind == ReferenceForward
}
