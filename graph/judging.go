package graph

import "slices"

// judging asks the affinity about what was explored, and records in a belief what it says
// and what is certain without it.
type judging struct {
	*line
	exploration *exploration
	belief      *belief

	asked   []stretch
	window  []*Message // of the stretch being judged
	numbers []int      // of the window's messages in explored
}

// judge asks the affinity about everything that was explored.
func (j *judging) judge() {
	j.exploration.number()
	j.belief.begin(len(j.exploration.explored))
	for _, at := range j.exploration.explored {
		if before := j.entries[at].beside[Older]; before < 0 || !j.entries[before].considered {
			j.ask(at)
		}
	}
	j.settleAll()
}

// stretch is a window that the affinity was asked about. Its ends identify it.
type stretch struct {
	first, last int // entries
	links       Links
}

// ask lets the affinity judge the stretch of explored messages that begins at an entry,
// unless it already has.
func (j *judging) ask(begin int) {
	last := j.gather(begin)
	if len(j.window) < 2 {
		return
	}
	known := slices.IndexFunc(j.asked, func(s stretch) bool { return s.first == begin && s.last == last })
	if known < 0 {
		known = len(j.asked)
		j.asked = append(j.asked, stretch{begin, last, j.options.Affinity.Links(j.window)})
	}
	j.belief.fill(j.numbers, j.asked[known].links)
}

// gather fills the window with the stretch of explored messages that begins at an
// entry, and returns the stretch's last entry.
func (j *judging) gather(begin int) (last int) {
	j.window, j.numbers = j.window[:0], j.numbers[:0]
	for at := begin; at >= 0 && j.entries[at].considered; at = j.entries[at].beside[Newer] {
		last = at
		if j.entries[at].pointer {
			continue
		}
		j.numbers = append(j.numbers, j.entries[at].number)
		j.window = append(j.window, j.entries[at].message)
	}
	return last
}

// settleAll records what every explored message certainly answers.
func (j *judging) settleAll() {
	for number, at := range j.exploration.explored {
		j.settle(number, at)
	}
}

// settle records which explored messages a message certainly answers: the targets of
// its references and, for an answer of heddle's, its question. A thread's starter is no
// answer. A link attaches its target to the message and leaves open what the message
// answers.
func (j *judging) settle(number, at int) {
	m := j.entries[at].message
	if m.Answers != 0 {
		j.settleOn(number, Lookup{Channel: m.Channel, Message: m.Answers}, j.belief.settle)
	}
	for _, r := range m.References {
		switch lookup := (Lookup{Channel: r.in(m), Message: r.Message}); {
		case r.Message == 0:
		case r.answers():
			j.settleOn(number, lookup, j.belief.settle)
		case r.Kind == ReferenceLink:
			j.settleOn(number, lookup, j.belief.attach)
		}
	}
}

// settleOn records that a message refers to the target of a lookup, if that was
// explored.
func (j *judging) settleOn(number int, l Lookup, note func(from, to int)) {
	to, known := j.index[l.Message]
	if !known || !j.entries[to].considered || j.entries[to].message.Channel != l.Channel {
		return
	}
	if target := j.entries[to].number; target != number {
		note(number, target)
	}
}
