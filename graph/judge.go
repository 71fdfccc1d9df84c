package graph

import "slices"

// These constants bound the evidence around a message that a reference led to.
// docs/decisions/graph.md says why.
const (
	// judgedAround is the number of neighbours on each side that are judged with it.
	judgedAround = 10
	// judgedMost bounds the neighbours of all such messages together.
	judgedMost = 100
	// keptAround is the number of neighbours on each side that are at least in the
	// background.
	keptAround = 3
)

// judge lets the affinity judge everything that was reached and its surroundings, unless
// nothing of that is new, and sets the probability of each of these messages. It reports
// whether there was anything to judge.
func (x *expansion) judge() (bool, error) {
	known := len(x.explored)
	if err := x.explore(); err != nil || len(x.explored) == known {
		return false, err
	}
	slices.SortFunc(x.explored, func(a, b int) int {
		return x.entries[a].message.Position().Compare(x.entries[b].message.Position())
	})
	for number, at := range x.explored {
		x.entries[at].number = number
	}
	x.belief = newBelief(len(x.explored))
	for _, at := range x.explored {
		if before := x.entries[at].neighbour[Older]; before < 0 || !x.entries[before].considered {
			x.ask(at)
		}
	}
	for number, at := range x.explored {
		x.settle(number, at)
	}
	x.suppose()
	x.judgements++
	x.most = 1 + x.options.recent() + 2*x.options.MaxTotal
	return true, nil
}

// strand is one side of a target whose neighbours are being explored.
type strand struct {
	at        int // the last entry explored
	direction Direction
	asked     bool // the trigger itself refers to the target
}

// explore adds to the evidence: the newest messages before the trigger, whatever the gaps,
// and the targets of references outside of these, with their neighbours.
func (x *expansion) explore() error {
	if !x.judges {
		return nil
	}
	if len(x.explored) == 0 {
		x.consider(0)
		at := x.entries[0].neighbour[Older]
		for left := x.options.recent(); left > 0 && at >= 0; left-- {
			x.consider(at)
			if !x.pointsAtStarter(at) {
				x.recent = append(x.recent, at)
			}
			at = x.entries[at].neighbour[Older]
		}
	}
	var strands []strand
	asked := x.askedAbout()
	for _, at := range x.reached {
		if !x.entries[at].considered && x.spreads(at) {
			x.consider(at)
			x.targets = append(x.targets, at)
			isAsked := slices.Contains(asked, at)
			strands = append(strands, strand{at, Older, isAsked}, strand{at, Newer, isAsked})
		}
	}
	return x.exploreAround(strands)
}

func (x *expansion) consider(at int) {
	x.entries[at].considered = true
	x.explored = append(x.explored, at)
}

// exploreAround explores the neighbours of targets up to the first gap longer than the
// threshold, those nearest to any target first. The neighbours of the trigger's own
// targets are explored even beyond judgedMost.
func (x *expansion) exploreAround(strands []strand) error {
	for step := 0; step < judgedAround && len(strands) > 0; step++ {
		for _, s := range strands {
			x.walkFrom(s.at, s.direction, judgedAround-step)
		}
		if err := x.walk(); err != nil {
			return err
		}
		open := strands[:0]
		for _, s := range strands {
			next, full := x.entries[s.at].neighbour[s.direction], x.around >= judgedMost && (!s.asked || step >= keptAround)
			if full || next < 0 || x.entries[next].considered || x.gapBetween(s.at, next, s.direction) > x.longest {
				continue
			}
			x.consider(next)
			x.around++
			s.at = next
			open = append(open, s)
		}
		strands = open
	}
	return nil
}

// window is a stretch that the affinity was asked about. Its ends identify it.
type window struct {
	first, last int // entries
	links       Links
}

// ask adds to the belief the links of the stretch of explored messages that begins at an
// entry. The affinity judges each stretch once.
func (x *expansion) ask(begin int) {
	var messages []*Message
	var numbers []int
	last := begin
	for at := begin; at >= 0 && x.entries[at].considered; at = x.entries[at].neighbour[Newer] {
		last = at
		if !x.pointsAtStarter(at) {
			numbers, messages = append(numbers, x.entries[at].number), append(messages, x.entries[at].message)
		}
	}
	if len(messages) < 2 {
		return
	}
	known := slices.IndexFunc(x.windows, func(w window) bool { return w.first == begin && w.last == last })
	if known < 0 {
		known = len(x.windows)
		x.windows = append(x.windows, window{begin, last, x.options.Affinity.Links(messages)})
	}
	links := x.windows[known].links
	for j := 1; j < min(links.Size(), len(numbers)); j++ {
		row := x.belief.row(numbers[j])
		for i, p := range links.Row(j) {
			row[numbers[i]] = p
		}
	}
	if last == 0 {
		x.asks = links.Asks
		for k, needed := range links.Needs[:min(len(links.Needs), len(numbers))] {
			x.entries[x.explored[numbers[k]]].needed = float64(needed)
		}
	}
}

// settle records which explored messages a message certainly answers: the targets of
// its references. To point at a thread's starter is no answer. The target of a link belongs
// to whatever conversation the message belongs to, and what the message answers stays open.
func (x *expansion) settle(number, at int) {
	m := x.entries[at].message
	for _, r := range m.refersTo() {
		to, known := x.index[r.Message]
		if r.Message == 0 || !known || !x.entries[to].considered || x.entries[to].message.Channel != r.in(m) || to == at {
			continue
		}
		switch {
		case r.answers():
			x.belief.settle(number, x.entries[to].number)
		case r.Kind == ReferenceLink:
			x.belief.certain = append(x.belief.certain, certainty{number, x.entries[to].number, false})
		}
	}
}

// certainWithin is the most by which rounding lowers the probability of a certain message.
const certainWithin = 1e-9

// suppose draws the sets of messages that may be connected with the trigger, and sets the
// probability of each message to be. A message belongs with all its explicit references,
// but only those that are answers decide about turns.
func (x *expansion) suppose() {
	b := x.belief
	said := make([]spoken, len(x.explored))
	for number, at := range x.explored {
		m := x.entries[at].message
		said[number] = spoken{m.Author, m.Time}
	}
	for _, c := range b.certain {
		if c.answers {
			b.linkAlong(c)
		}
	}
	x.suppositions = b.suppositions(newTurns(said, x.longest, max(0, x.turnWeight())))
	for _, c := range b.certain {
		b.linkAlong(c)
	}
	p := make([]float64, b.size)
	for _, s := range x.suppositions {
		for i, together := range s.together {
			p[i] += float64(s.probability * together)
		}
	}
	p[b.size-1] = 1
	for number, at := range x.explored {
		if p[number] > 1-certainWithin {
			p[number] = 1
		}
		x.entries[at].probability = p[number]
	}
}

// followable is the least probability of a link that is followed.
const followable = 0.05

// followLinks records the ways along the links of messages that were reached since the last
// judgement: to what they may answer, and to what may answer them.
func (x *expansion) followLinks() {
	for _, from := range x.reached {
		e := &x.entries[from]
		if e.linked == x.judgements || !e.considered || !x.spreads(from) {
			continue
		}
		e.linked = x.judgements
		for number, to := range x.explored {
			p := x.belief.between(e.number, number)
			if p < followable || to == 0 || !x.belongs(to) {
				continue
			}
			reason := Reason{Kind: ReasonReference, Reference: ReferenceInferred, Probability: p}
			if number > e.number {
				reason.Kind = ReasonAnswer
			}
			if x.entries[to].led && !x.entries[to].isNews(&reason) {
				continue
			}
			if reason.Kind == ReasonAnswer {
				reason.Reference = kindOf(x.entries[to].message, e.message)
			} else if kindOf(e.message, x.entries[to].message) != ReferenceInferred {
				continue // it was followed as a reference
			}
			x.addWay(from, to, x.timeBetween(from, to), reason)
		}
	}
}
