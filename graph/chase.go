package graph

import "slices"

// These constants bound how far an expansion with an affinity explores. The reasons are in
// docs/decisions/graph.md, "Exploring and admitting".
const (
	// exploredAround is the number of neighbours on each side that are judged together
	// with a message that a reference led to.
	exploredAround = 10
	// exploredMost bounds the neighbours of all such messages together.
	exploredMost = 100
	// keptAround is the number of neighbours on each side that are at least in the
	// background.
	keptAround = 3
)

// origins returns the entries from which references are followed first: the trigger,
// and the seeds that point at the thread's starter.
func (x *exploration) origins() []int {
	origins := []int{0}
	for _, at := range x.seeds {
		if x.entries[at].pointer {
			origins = append(origins, at)
		}
	}
	return origins
}

// chase follows the references of entries, and those of their targets, to the end, and
// then explores the neighbours of the new targets. It explores at most limit targets
// outside the recent messages, including those of earlier calls, and reports whether it
// found any.
func (x *exploration) chase(from []int, limit int) (bool, error) {
	known := len(x.targets)
	for len(from) > 0 {
		begin := len(x.references.all)
		var lookups []Lookup
		for _, at := range from {
			lookups = x.follow(at, lookups)
		}
		if err := x.references.lookUp(lookups, x.references.all[begin:]); err != nil {
			return false, err
		}
		from = x.arrive(x.references.all[begin:], from, limit)
	}
	found := x.targets[known:]
	return len(found) > 0, x.exploreAround(found)
}

// follow collects the references of an entry, once, and appends to lookups what has to
// be read. For an answer of heddle's, that includes its question.
func (x *exploration) follow(at int, lookups []Lookup) []Lookup {
	if x.entries[at].followed {
		return lookups
	}
	x.entries[at].followed = true
	lookups = x.references.collect(at, lookups)
	m := x.entries[at].message
	question := Lookup{Channel: m.Channel, Message: m.Answers}
	if _, known := x.index[m.Answers]; m.Answers != 0 && !known && !slices.Contains(lookups, question) {
		lookups = append(lookups, question)
	}
	return lookups
}

// arrive explores the targets of references and returns the entries whose references
// are followed next: the targets, and the questions of heddle's answers among from.
func (x *exploration) arrive(references []reference, from []int, limit int) []int {
	var next []int
	reach := func(at int) {
		if at == 0 || x.entries[at].followed || slices.Contains(next, at) {
			return
		}
		if !x.entries[at].considered {
			if len(x.targets) >= limit {
				return
			}
			x.targets = append(x.targets, at)
			x.explore(at)
		}
		next = append(next, at)
	}
	for i := range references {
		if x.references.resolve(&references[i]) {
			reach(references[i].to)
		}
	}
	for _, at := range from {
		m := x.entries[at].message
		if question, known := x.index[m.Answers]; known && x.entries[question].message.Channel == m.Channel {
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

// exploreAround explores the neighbours of targets up to the first gap that exceeds the
// threshold, those nearest to any target first. The neighbours of what the trigger
// itself refers to are explored even if exploredMost is reached.
func (x *exploration) exploreAround(targets []int) error {
	strands := make([]strand, 0, 2*len(targets))
	asks := x.references.asks()
	for _, at := range targets {
		asked := slices.Contains(asks, at)
		strands = append(strands, strand{at, Older, asked}, strand{at, Newer, asked})
	}
	for step := 0; step < exploredAround && len(strands) > 0; step++ {
		if err := x.readBeside(strands, exploredAround-step); err != nil {
			return err
		}
		open := strands[:0]
		for _, s := range strands {
			if (x.around < exploredMost || s.asked && step < keptAround) && x.unroll(&s) {
				open = append(open, s)
			}
		}
		strands = open
	}
	return nil
}

// readBeside reads the messages next to every strand. How many messages a source
// returns at a time must not affect the result.
func (x *exploration) readBeside(strands []strand, limit int) error {
	x.walks, x.walkers = x.walks[:0], x.walkers[:0]
	for _, s := range strands {
		x.walkFrom(s.at, s.direction, limit)
	}
	return x.walk()
}

// unroll explores the next message of a strand, and reports whether there was one.
func (x *exploration) unroll(s *strand) bool {
	next := x.entries[s.at].beside[s.direction]
	if next < 0 || x.entries[next].considered || x.gapBetween(s.at, next, s.direction) > x.longest {
		return false
	}
	x.around++
	x.explore(next)
	s.at = next
	return true
}

// readAround reads the neighbours of what the trigger itself refers to. It does not
// explore them, as the window right before the trigger must not depend on them.
func (x *exploration) readAround() error {
	var strands []strand
	for _, at := range x.references.asks() {
		strands = append(strands, strand{at: at, direction: Older}, strand{at: at, direction: Newer})
	}
	for step := range keptAround {
		if err := x.readBeside(strands, keptAround-step); err != nil {
			return err
		}
		strands = slices.DeleteFunc(strands, func(s strand) bool { return x.entries[s.at].beside[s.direction] < 0 })
		for i := range strands {
			strands[i].at = x.entries[strands[i].at].beside[strands[i].direction]
		}
	}
	return nil
}
