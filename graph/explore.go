package graph

import (
	"slices"
	"unicode/utf8"
)

// weighing is an expansion with an affinity. It explores more messages than it
// admits: the affinity judges all of them, and the likeliest are chosen.
type weighing struct {
	*expansion
	explored []int // entries, oldest first; the trigger last
	recent   []int // entries right before the trigger, newest first
	seeds    []int // the first of recent
	targets  []int // entries outside recent that references led to
	around   int   // number of explored neighbours of targets
	belief   *belief
	p        []float64 // by number in explored: of belonging to the trigger's conversation
	refers   [][]int   // by number: what each message certainly answers
	chosen   []int     // numbers in explored, oldest first

	displaced []int // numbers of what would be chosen but for the thread's starter

	asked   []stretch
	window  []*Message // of the stretch being judged
	numbers []int      // of the window's messages in explored
}

// weigh builds the graph with an affinity. References are followed to their end
// before anything is judged, so that a chain of replies costs one judgement.
func (x *expansion) weigh() (*Graph, error) {
	w := &weighing{expansion: x, belief: newBelief(0)}
	w.exploreRecent()
	if _, err := w.chase(w.origins(), w.options.MaxTotal); err != nil {
		return nil, err
	}
	for {
		w.judge()
		x.round++
		found, err := w.chase(w.chosenEntries(), 2*w.options.MaxTotal)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
	}
	if err := w.readAround(); err != nil {
		return nil, err
	}
	return w.result(), nil
}

// exploreRecent explores the newest messages before the trigger, whatever the gaps.
func (w *weighing) exploreRecent() {
	w.explore(0)
	at := 0
	for i := range w.options.recent() {
		at = w.entries[at].beside[Older]
		if at < 0 {
			break
		}
		w.explore(at)
		w.entries[at].pointer = w.entries[at].message.pointsAtStarter()
		w.recent = append(w.recent, at)
		if i < w.options.MinLinear {
			w.seeds = w.recent
		}
	}
}

// pointsAtStarter reports whether m is the message that Discord puts first in a
// thread to point at the one that the thread was started from. It says nothing
// itself, so it is in no window and is not judged.
func (m *Message) pointsAtStarter() bool {
	return slices.ContainsFunc(m.References, func(r Reference) bool { return r.Kind == ReferenceStarter })
}

func (w *weighing) explore(at int) {
	w.entries[at].weighed = true
	w.explored = append(w.explored, at)
}

// chosenEntries returns what is chosen, newest first.
func (w *weighing) chosenEntries() []int {
	entries := make([]int, 0, len(w.chosen))
	for _, number := range slices.Backward(w.chosen) {
		entries = append(entries, w.explored[number])
	}
	return entries
}

// judge asks the affinity about everything explored, and chooses.
func (w *weighing) judge() {
	slices.SortFunc(w.explored, func(a, b int) int {
		return w.entries[a].message.Position().Compare(w.entries[b].message.Position())
	})
	for number, at := range w.explored {
		w.entries[at].number = number
	}
	w.belief.begin(len(w.explored))
	for _, at := range w.explored {
		if before := w.entries[at].beside[Older]; before < 0 || !w.entries[before].weighed {
			w.ask(at)
		}
	}
	for number, at := range w.explored {
		w.settle(number, at)
	}
	w.p = w.belief.withLast()
	for number, at := range w.explored {
		w.entries[at].probability = w.p[number]
	}
	w.refers = w.belief.refers()
	choice := cut{
		recall: w.options.recallWeight(), room: w.options.MaxTotal,
		length: w.lengths(), refers: w.refers,
	}
	p, suppositions := w.p[:len(w.p)-1], w.belief.suppositions()
	w.chosen, w.displaced = choice.choose(p, suppositions), nil
	if missing := w.missingStarters(); missing > 0 && len(w.chosen)+missing > choice.room {
		w.displaced = w.chosen
		choice.room = max(choice.room-missing, choice.chain())
		w.chosen = choice.choose(p, suppositions)
	}
}

// lengths returns the length of every explored message in units of the mean of the
// trigger and the messages right before it.
func (w *weighing) lengths() []float64 {
	lengths := make([]float64, len(w.explored))
	for number, at := range w.explored {
		lengths[number] = float64(utf8.RuneCountInString(w.entries[at].message.Text))
	}
	total, counted := lengths[len(lengths)-1], 1
	for _, at := range w.recent {
		if e := &w.entries[at]; !e.pointer {
			total += lengths[e.number]
			counted++
		}
	}
	return overMean(lengths, total/float64(counted))
}

// stretch is a window that the affinity was asked about. Two with the same ends
// are the same.
type stretch struct {
	first, last int // entries
	links       Links
}

// ask has the affinity judge the stretch of explored messages that begins at an
// entry. No stretch is judged twice.
func (w *weighing) ask(begin int) {
	w.window, w.numbers = w.window[:0], w.numbers[:0]
	last := begin
	for at := begin; at >= 0 && w.entries[at].weighed; at = w.entries[at].beside[Newer] {
		last = at
		if w.entries[at].pointer {
			continue
		}
		w.numbers = append(w.numbers, w.entries[at].number)
		w.window = append(w.window, w.entries[at].message)
	}
	if len(w.window) < 2 {
		return
	}
	known := slices.IndexFunc(w.asked, func(s stretch) bool { return s.first == begin && s.last == last })
	if known < 0 {
		known = len(w.asked)
		w.asked = append(w.asked, stretch{begin, last, w.options.Affinity.Links(w.window)})
	}
	links := w.asked[known].links
	for j := 1; j < min(links.Size(), len(w.numbers)); j++ {
		row := w.belief.row(w.numbers[j])
		for i, p := range links.Row(j) {
			row[w.numbers[i]] = p
		}
	}
}

// settle records which explored messages a message certainly answers: the question,
// for an answer of heddle's, and the targets of its references. A starter is where a
// thread began and is answered by nothing.
func (w *weighing) settle(number, at int) {
	m := w.entries[at].message
	if m.Answers != 0 {
		w.settleOn(number, Lookup{Channel: m.Channel, Message: m.Answers})
	}
	for _, r := range m.References {
		if r.answers() && r.Message != 0 {
			w.settleOn(number, Lookup{Channel: r.in(m), Message: r.Message})
		}
	}
}

// answers reports whether a message answers the target of such a reference.
func (r *Reference) answers() bool {
	return r.Kind != ReferenceAddress && r.Kind != ReferenceStarter
}

func (w *weighing) settleOn(number int, l Lookup) {
	to, known := w.index[l.Message]
	if !known || !w.entries[to].weighed || w.entries[to].message.Channel != l.Channel {
		return
	}
	if target := w.entries[to].number; target != number {
		w.belief.settle(number, target)
	}
}
