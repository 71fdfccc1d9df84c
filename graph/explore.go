package graph

import (
	"slices"
	"unicode/utf8"
)

// How far an expansion with an affinity explores.
const (
	// exploredAround is how many neighbours, at either side, of a message that a
	// reference led to are weighed with it.
	exploredAround = 10
	// exploredMost bounds what references add to the messages before the trigger.
	exploredMost = 100
)

// weighing is an expansion that asks an affinity. It explores more than it admits:
// what was explored is weighed, and of that the likeliest are chosen.
type weighing struct {
	*expansion
	explored []int // entries, oldest first; the trigger last
	reached  int   // how many of them a reference or a walk around one led to
	seeds    []int // entries
	belief   *belief
	p        []float64 // by number in explored: hangs together with the trigger
	chosen   []int     // numbers in explored

	asked   []stretch
	window  []*Message // of the stretch in work
	numbers []int      // and where its messages are in explored
}

// weigh builds the graph with an affinity. Every round weighs what is explored and
// follows the references of what is chosen.
func (x *expansion) weigh() (*Graph, error) {
	w := &weighing{expansion: x, belief: newBelief(0)}
	w.exploreRecent()
	for {
		w.believe()
		x.round++
		found, err := w.reach()
		if err != nil {
			return nil, err
		}
		if !found {
			return w.result(), nil
		}
	}
}

// exploreRecent weighs the newest messages before the trigger, whatever the gaps.
func (w *weighing) exploreRecent() {
	w.explore(0)
	at := 0
	for i := range w.options.recent() {
		at = w.entries[at].beside[Older]
		if at < 0 {
			break
		}
		w.explore(at)
		if i < w.options.MinLinear {
			w.seeds = append(w.seeds, at)
		}
	}
}

func (w *weighing) explore(at int) {
	w.entries[at].weighed = true
	w.explored = append(w.explored, at)
}

// believe asks the affinity, and chooses.
func (w *weighing) believe() {
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
	choice := cut{
		recall: w.options.recallWeight(), room: w.options.MaxTotal,
		seeds: make([]bool, len(w.explored)), length: overMean(w.lengths()),
	}
	for _, at := range w.seeds {
		choice.seeds[w.entries[at].number] = true
	}
	w.chosen = choice.choose(w.p[:len(w.p)-1], w.belief.suppositions())
}

// lengths are the characters of what is explored.
func (w *weighing) lengths() []int {
	lengths := make([]int, len(w.explored))
	for number, at := range w.explored {
		lengths[number] = utf8.RuneCountInString(w.entries[at].message.Text)
	}
	return lengths
}

// stretch is a window that the affinity was asked about. One with the same ends
// is the same.
type stretch struct {
	first, last int // entries
	links       Links
}

// ask has the affinity say what the messages of a stretch answer; it begins at an
// entry and goes on as far as it was explored. It is asked once.
func (w *weighing) ask(begin int) {
	w.window, w.numbers = w.window[:0], w.numbers[:0]
	last := begin
	for at := begin; at >= 0 && w.entries[at].weighed; at = w.entries[at].beside[Newer] {
		w.numbers = append(w.numbers, w.entries[at].number)
		w.window = append(w.window, w.entries[at].message)
		last = at
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

// settle notes what a message certainly answers of what was explored: what an
// answer of heddle's answers, and explicit references.
func (w *weighing) settle(number, at int) {
	m := w.entries[at].message
	if m.Answers != 0 {
		w.settleOn(number, Lookup{Channel: m.Channel, Message: m.Answers})
	}
	for _, r := range m.References {
		if r.Kind != ReferenceAddress && r.Message != 0 {
			w.settleOn(number, Lookup{Channel: r.in(m), Message: r.Message})
		}
	}
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

// reach follows the references of what is chosen that were not followed yet, looks
// around what they lead to, and says whether that was anything new.
func (w *weighing) reach() (bool, error) {
	begin := len(w.references)
	var lookups []Lookup
	lookups = w.follow(0, lookups)
	for _, number := range slices.Backward(w.chosen) {
		lookups = w.follow(w.explored[number], lookups)
	}
	if err := w.lookUp(lookups, w.references[begin:]); err != nil {
		return false, err
	}
	targets := len(w.explored)
	for i := range w.references[begin:] {
		r := &w.references[begin+i]
		if w.resolve(r) && !w.entries[r.to].weighed && w.reached < exploredMost {
			w.reached++
			w.explore(r.to)
		}
	}
	if len(w.explored) == targets {
		return false, nil
	}
	return true, w.exploreAround(w.explored[targets:len(w.explored):len(w.explored)])
}

// follow collects the references of an entry, once.
func (w *weighing) follow(at int, lookups []Lookup) []Lookup {
	if w.entries[at].followed {
		return lookups
	}
	w.entries[at].followed = true
	return w.collect(at, lookups)
}

// strand is a side of what a reference led to, being explored.
type strand struct {
	at        int // the last entry explored
	direction Direction
	left      int // how many more may be
}

// exploreAround explores the neighbours of what references led to, as far as no
// gap is over the threshold.
func (w *weighing) exploreAround(targets []int) error {
	strands := make([]strand, 0, 2*len(targets))
	for _, at := range targets {
		strands = append(strands, strand{at, Older, exploredAround}, strand{at, Newer, exploredAround})
	}
	for len(strands) > 0 {
		w.walks, w.walkers = w.walks[:0], w.walkers[:0]
		for _, s := range strands {
			w.walkFrom(s.at, s.direction, s.left)
		}
		if err := w.walk(); err != nil {
			return err
		}
		open := strands[:0]
		for _, s := range strands {
			if w.unroll(&s) {
				open = append(open, s)
			}
		}
		strands = open
	}
	return nil
}

// unroll explores along a strand, and says whether more has to be read for it.
func (w *weighing) unroll(s *strand) bool {
	for ; s.left > 0 && w.reached < exploredMost; s.left-- {
		next := w.entries[s.at].beside[s.direction]
		if next == besideUnknown {
			return true
		}
		if next < 0 || w.entries[next].weighed || w.gapBetween(s.at, next, s.direction) > w.longest {
			return false
		}
		w.reached++
		w.explore(next)
		s.at = next
	}
	return false
}

// background are the seeds that were not chosen, as numbers.
func (w *weighing) background() []int {
	var numbers []int
	for _, at := range w.seeds {
		if _, chosen := slices.BinarySearch(w.chosen, w.entries[at].number); !chosen {
			numbers = append(numbers, w.entries[at].number)
		}
	}
	slices.Sort(numbers)
	return numbers
}
