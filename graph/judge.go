package graph

import "slices"

// judging asks the affinity about what was explored, and says how likely each message
// belongs to the trigger's conversation.
type judging struct {
	*line
	exploration *exploration
	asked       []judged
	belief      *belief
	// suppositions are the sets of messages that may be connected with the trigger.
	suppositions []supposition
	times        int     // how often it was judged
	asks         float64 // the odds that the trigger needs any message
}

// judged is a window that the affinity was asked about. Its ends identify it.
type judged struct {
	first, last int // entries
	links       Links
}

// judge judges everything that was reached and what surrounds it, unless nothing of that
// is new. It reports whether there was anything to judge.
func (j *judging) judge() (bool, error) {
	x := j.exploration
	if !x.judged {
		return false, nil
	}
	known := len(x.explored)
	if known == 0 {
		x.exploreRecent()
	}
	if err := x.exploreTargets(); err != nil {
		return false, err
	}
	if len(x.explored) == known {
		return false, nil
	}
	x.number()
	j.belief = newBelief(len(x.explored))
	for _, at := range x.explored {
		if before := x.entries[at].beside[Older]; before < 0 || !x.entries[before].considered {
			j.ask(at)
		}
	}
	for number, at := range x.explored {
		j.settle(number, at)
	}
	p := j.suppose()
	for number, at := range x.explored {
		x.entries[at].probability = p[number]
	}
	j.times++
	x.most = 1 + x.options.recent() + 2*x.options.MaxTotal
	return true, nil
}

// ask lets the affinity judge the stretch of explored messages that begins at an entry,
// unless it already has.
func (j *judging) ask(begin int) {
	var window []*Message
	var numbers []int
	last := begin
	for at := begin; at >= 0 && j.entries[at].considered; at = j.entries[at].beside[Newer] {
		last = at
		if !j.pointsAtStarter(at) {
			numbers, window = append(numbers, j.entries[at].number), append(window, j.entries[at].message)
		}
	}
	if len(window) < 2 {
		return
	}
	known := slices.IndexFunc(j.asked, func(o judged) bool { return o.first == begin && o.last == last })
	if known < 0 {
		known = len(j.asked)
		j.asked = append(j.asked, judged{begin, last, j.options.Affinity.Links(window)})
	}
	links := j.asked[known].links
	j.belief.fill(numbers, links)
	if last == 0 {
		j.asks = links.Asks
		for k, needed := range links.Needs[:min(len(links.Needs), len(numbers))] {
			j.entries[j.exploration.explored[numbers[k]]].needed = float64(needed)
		}
	}
}

// settle records which explored messages a message certainly answers: the targets of
// its references. A thread's starter is no answer. A link attaches its target to the
// message and leaves open what the message answers.
func (j *judging) settle(number, at int) {
	m := j.entries[at].message
	for _, r := range m.refersTo() {
		to, known := j.index[r.Message]
		if r.Message == 0 || !known || !j.entries[to].considered || j.entries[to].message.Channel != r.in(m) || to == at {
			continue
		}
		switch {
		case r.answers():
			j.belief.settle(number, j.entries[to].number)
		case r.Kind == ReferenceLink:
			j.belief.attach(number, j.entries[to].number)
		}
	}
}

// certainWithin is how much less than 1 the probability of a certain message may be
// because of rounding.
const certainWithin = 1e-9

// suppose draws the sets of messages that may be connected with the trigger, and returns
// the probability of each message to be.
func (j *judging) suppose() []float64 {
	b := j.belief
	weight := max(0, j.turnWeight())
	said := make([]spoken, len(j.exploration.explored))
	for number, at := range j.exploration.explored {
		m := j.entries[at].message
		said[number] = spoken{m.Author, m.Time}
	}
	b.linkAnswered()
	j.suppositions = b.suppositions(newTurns(said, j.longest, weight))
	b.linkCertain()
	p := make([]float64, b.size)
	for _, s := range j.suppositions {
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
	return p
}

// followable is the least probability of a link that is followed.
const followable = 0.05

// followLinks records the ways along the links of messages that were reached since the last
// judgement: to what they may answer, and to what may answer them.
func (j *judging) followLinks() {
	x := j.exploration
	for i := range x.nodes {
		n := &x.nodes[i]
		from := &x.entries[n.entry]
		if from.linked == j.times || !from.considered || !x.spreads(n) {
			continue
		}
		from.linked = j.times
		for number, to := range x.explored {
			p := j.belief.between(from.number, number)
			if p < followable || to == 0 || !x.belongs(to) {
				continue
			}
			reason := Reason{Kind: ReasonReference, Reference: ReferenceInferred, Probability: p}
			if number > from.number {
				reason.Kind = ReasonAnswer
			}
			if at := x.entries[to].node; at != notInGraph && x.nodes[at].led && !x.nodes[at].tellsMore(&reason) {
				continue
			}
			if reason.Kind == ReasonAnswer {
				reason.Reference = kindOf(x.entries[to].message, from.message)
			} else if kindOf(from.message, x.entries[to].message) != ReferenceInferred {
				continue // it was followed as a reference
			}
			x.way(n.entry, to, apart(from.message, x.entries[to].message), reason)
		}
	}
}
