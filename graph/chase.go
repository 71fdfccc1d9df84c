package graph

import "slices"

// How far an expansion with an affinity explores.
const (
	// exploredAround is the number of neighbours, on either side, that are judged
	// together with a message that a reference led to.
	exploredAround = 10
	// exploredMost bounds the neighbours of all such messages.
	exploredMost = 100
	// keptAround is the number of neighbours, on either side, that are at least
	// background.
	keptAround = 3
)

// origins returns where following references begins: at the trigger, and at the
// seeds that point at the thread's starter.
func (w *weighing) origins() []int {
	origins := []int{0}
	for _, at := range w.seeds {
		if w.entries[at].pointer {
			origins = append(origins, at)
		}
	}
	return origins
}

// chase follows the references of entries, and of what they lead to, to their end,
// and then explores the neighbours of what is new. It looks at no more than limit
// targets outside the recent messages, counting earlier ones, and reports whether it
// found any.
func (w *weighing) chase(from []int, limit int) (bool, error) {
	known := len(w.targets)
	for len(from) > 0 {
		begin := len(w.references)
		var lookups []Lookup
		for _, at := range from {
			lookups = w.follow(at, lookups)
		}
		if err := w.lookUp(lookups, w.references[begin:]); err != nil {
			return false, err
		}
		from = w.arrive(w.references[begin:], from, limit)
	}
	found := w.targets[known:]
	return len(found) > 0, w.exploreAround(found)
}

// follow collects the references of an entry, once, and adds to the lookups what has
// to be read, the question that an answer of heddle's answers included.
func (w *weighing) follow(at int, lookups []Lookup) []Lookup {
	if w.entries[at].followed {
		return lookups
	}
	w.entries[at].followed = true
	lookups = w.collect(at, lookups)
	m := w.entries[at].message
	question := Lookup{Channel: m.Channel, Message: m.Answers}
	if _, known := w.index[m.Answers]; m.Answers != 0 && !known && !slices.Contains(lookups, question) {
		lookups = append(lookups, question)
	}
	return lookups
}

// arrive explores the targets of references, and returns the entries whose own
// references come next: these, and the questions of heddle's answers among the
// entries that the references came from.
func (w *weighing) arrive(references []reference, from []int, limit int) []int {
	var next []int
	reach := func(at int) {
		if at == 0 || w.entries[at].followed || slices.Contains(next, at) {
			return
		}
		if !w.entries[at].weighed {
			if len(w.targets) >= limit {
				return
			}
			w.targets = append(w.targets, at)
			w.explore(at)
		}
		next = append(next, at)
	}
	for i := range references {
		if w.resolve(&references[i]) {
			reach(references[i].to)
		}
	}
	for _, at := range from {
		m := w.entries[at].message
		if question, known := w.index[m.Answers]; known && w.entries[question].message.Channel == m.Channel {
			reach(question)
		}
	}
	return next
}

// strand is one side of a target whose neighbours are being explored.
type strand struct {
	at        int // the last entry explored
	direction Direction
	asked     bool // the trigger itself refers to the target
}

// exploreAround explores the neighbours of targets, up to the first gap over the
// threshold: the nearest of all targets first, and those of what the trigger itself
// refers to whatever was explored before.
func (w *weighing) exploreAround(targets []int) error {
	strands := make([]strand, 0, 2*len(targets))
	asks := w.asks()
	for _, at := range targets {
		asked := slices.Contains(asks, at)
		strands = append(strands, strand{at, Older, asked}, strand{at, Newer, asked})
	}
	for step := 0; step < exploredAround && len(strands) > 0; step++ {
		if err := w.readBeside(strands, exploredAround-step); err != nil {
			return err
		}
		open := strands[:0]
		for _, s := range strands {
			if w.unroll(&s, s.asked && step < keptAround) {
				open = append(open, s)
			}
		}
		strands = open
	}
	return nil
}

// readBeside makes known what stands beside every strand. A source may serve less
// than it is asked for; how much must not show.
func (w *weighing) readBeside(strands []strand, limit int) error {
	w.walks, w.walkers = w.walks[:0], w.walkers[:0]
	for _, s := range strands {
		w.walkFrom(s.at, s.direction, limit)
	}
	return w.walk()
}

// unroll explores the next message of a strand and reports whether there was one.
func (w *weighing) unroll(s *strand, whatever bool) bool {
	next := w.entries[s.at].beside[s.direction]
	if next < 0 || w.entries[next].weighed || w.gapBetween(s.at, next, s.direction) > w.longest {
		return false
	}
	if w.around >= exploredMost && !whatever {
		return false
	}
	w.around++
	w.explore(next)
	s.at = next
	return true
}

// asks returns the entries that the trigger itself refers to, starters left out.
func (w *weighing) asks() []int {
	var entries []int
	for i := range w.references {
		r := &w.references[i]
		if r.from == 0 && r.kind != ReferenceStarter && w.resolve(r) {
			entries = append(entries, r.to)
		}
	}
	return entries
}

// readAround makes known the neighbours of what the trigger itself refers to. They
// are not explored: what is judged right before the trigger must not depend on it.
func (w *weighing) readAround() error {
	var strands []strand
	for _, at := range w.asks() {
		strands = append(strands, strand{at: at, direction: Older}, strand{at: at, direction: Newer})
	}
	for step := range keptAround {
		if err := w.readBeside(strands, keptAround-step); err != nil {
			return err
		}
		strands = slices.DeleteFunc(strands, func(s strand) bool { return w.entries[s.at].beside[s.direction] < 0 })
		for i := range strands {
			strands[i].at = w.entries[strands[i].at].beside[strands[i].direction]
		}
	}
	return nil
}
