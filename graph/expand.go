package graph

import (
	"cmp"
	"slices"
	"time"
)

// Expand builds the graph of a trigger. It starts from the seeds. Then tik, which follows
// references, and tok, which walks to neighbours, take turns until they reach nothing more
// or there is no room. If there is an affinity, it judges whenever they come to an end, so
// that a chain of replies costs one judgement, and they go on if that shows more. In the
// end, all that was reached is admitted without an affinity, and otherwise what most likely
// belongs to the trigger's conversation.
//
// The graph depends on what the source holds, not on the order of its reads. Every
// error is one of the source.
func Expand(source Source, trigger Message, options Options) (*Graph, error) {
	x := newExpansion(source, &trigger, options)
	if x.options.MaxTotal == 0 {
		return (&selection{expansion: x}).result(), nil
	}
	if err := x.readBack(); err != nil {
		return nil, err
	}
	x.longest = x.threshold()
	x.seed()
	for x.room() > 0 {
		x.round++
		followed, err := x.tik()
		if err != nil {
			return nil, err
		}
		walked, err := x.tok()
		if err != nil {
			return nil, err
		}
		if (followed || walked) && x.room() > 0 {
			continue
		}
		judged, err := x.judge()
		if err != nil {
			return nil, err
		}
		if !judged {
			break
		}
	}
	s := &selection{expansion: x}
	if x.judges {
		s.admit()
	}
	return s.result(), nil
}

// expansion is a graph that grows.
type expansion struct {
	line
	judges bool // an affinity decides what belongs to the conversation

	// What was reached, and why walks ended.
	reached    []int // entries: the trigger first, then in the order of the rounds
	most       int   // the greatest number of entries to reach
	round      int
	references []reference
	ways       []way // of the current step
	refused    []way // ways to messages that did not fit
	seals      []Seal

	// The evidence of the affinity, and its judgement. See judge.go.
	explored     []int    // entries, oldest first once they have numbers; the trigger last
	recent       []int    // entries right before the trigger, newest first, without pointers to starters
	targets      []int    // entries outside of recent that references led to
	around       int      // the number of explored neighbours of targets
	windows      []window // that the affinity judged
	belief       *belief  // in what each explored message answers
	suppositions []supposition
	judgements   int     // how often it judged
	asks         float64 // the odds that the trigger needs any message
}

// entry is a message that was read.
type entry struct {
	message *Message
	// neighbour holds, by Direction, the entry next to this one, or why there is none.
	neighbour [2]int
	sealed    [2]bool // by Direction: walks ended here
	// closed reports by Direction which sides need no more walking, because they are
	// sealed or lead to another entry that was reached.
	closed [2]bool

	place   place
	seed    bool // of the trigger as well
	reasons []Reason
	// led reports whether the trigger led here. With an affinity, a seed is there from the
	// beginning, and nothing is reached from it until something leads to it.
	led      bool
	followed bool // its references were followed

	// considered marks a message that was judged: explored for an affinity, or the target
	// of a way that was not taken.
	considered bool
	number     int // index among the explored messages
	linked     int // the judgement whose links were followed, from 1
	// probability is that of belonging to the conversation. Without an affinity it is 1 for
	// what was reached.
	probability float64
	needed      float64 // the probability that the trigger needs it
}

// place is the place of a message in the result.
type place uint8

const (
	unreached place = iota
	inConversation
	inBackground
	leftOut
)

// newExpansion returns an expansion that has reached the trigger.
func newExpansion(source Source, trigger *Message, options Options) *expansion {
	options.MaxTotal = max(options.MaxTotal, 0)
	options.MinLinear = min(max(options.MinLinear, 0), options.MaxTotal)
	x := &expansion{
		line:   line{source: source, options: options, trigger: trigger.Position(), index: make(map[MessageID]int)},
		judges: options.Affinity != nil, most: options.MaxTotal + 1,
	}
	x.reach(x.add(trigger), Reason{})
	e := &x.entries[0]
	e.probability, e.seed = 1, true
	e.neighbour[Newer], e.sealed[Newer], e.closed[Newer] = neighbourTrigger, true, true
	return x
}

// seed reaches the newest messages before the trigger, whatever the gaps.
func (x *expansion) seed() {
	at := 0
	for range x.options.MinLinear {
		at = x.entries[at].neighbour[Older]
		if at < 0 {
			break
		}
		x.reach(at, Reason{Kind: ReasonSeed, Probability: 1})
		e := &x.entries[at]
		e.seed, e.led = true, !x.judges || x.pointsAtStarter(at)
		if e.led {
			e.probability = 1
		}
	}
	if x.judges {
		x.most += len(x.reached) - 1 // the trigger's references come before seeds
	}
}

// reach marks an entry as reached.
func (x *expansion) reach(at int, reason Reason) {
	e := &x.entries[at]
	e.place, e.reasons, e.led = inConversation, []Reason{reason}, true
	x.reached = append(x.reached, at)
}

// room returns the number of messages that may still be reached.
func (x *expansion) room() int { return x.most - len(x.reached) }

// otherConversation is the least probability of belonging to the trigger's conversation.
// Nothing is reached from a message below it.
const otherConversation = 0.01

// belongs reports whether an entry may belong to the trigger's conversation.
func (x *expansion) belongs(at int) bool {
	return x.entries[at].probability >= otherConversation || x.pointsAtStarter(at)
}

// spreads reports whether something may be reached from an entry.
func (x *expansion) spreads(at int) bool { return x.entries[at].led && x.belongs(at) }

// reference is a reference of a message that was reached.
type reference struct {
	from  int // entry
	to    int // entry, once it is resolved
	kind  ReferenceKind
	at    Lookup // of the target
	state ReferenceState
	// beyond is set if the reference is not followed. Its target may still enter the
	// graph in other ways.
	beyond bool
}

// tik follows, one level deep, the new references of the messages that were reached, and
// the links that an affinity found. It reports whether it reached anything new.
func (x *expansion) tik() (bool, error) {
	x.ways = x.ways[:0]
	begin := len(x.references)
	var lookups []Lookup
	for _, at := range x.reached {
		if x.spreads(at) {
			lookups = x.collect(at, lookups)
		}
	}
	if err := x.lookUp(lookups, x.references[begin:]); err != nil {
		return false, err
	}
	for i := range x.references {
		r := &x.references[i]
		if x.resolve(r) && (i >= begin || x.entries[r.to].place == unreached) { // an older one had no room before
			x.addWay(r.from, r.to, x.timeBetween(r.from, r.to), Reason{Kind: ReasonReference, Reference: r.kind, Probability: 1})
		}
	}
	x.followLinks()
	return x.takeWays(), nil
}

// collect records an entry's references, once, and appends the lookups that they need.
func (x *expansion) collect(from int, lookups []Lookup) []Lookup {
	if x.entries[from].followed {
		return lookups
	}
	x.entries[from].followed = true
	m := x.entries[from].message
	home := x.entries[0].message.Channel
	for _, r := range m.refersTo() {
		if r.Kind == ReferenceAddress || r.Message == 0 && r.Kind != ReferenceLink {
			continue
		}
		in := r.in(m)
		inReach := in == home || in == m.Channel || in == x.options.Parent && in != 0 || r.Kind == ReferenceLink || r.Kind == ReferenceStarter
		lookup := Lookup{Channel: in, Message: r.Message}
		x.references = append(x.references, reference{from: from, kind: r.Kind, at: lookup, state: r.State, beyond: !inReach})
		_, known := x.index[r.Message]
		gone := r.State == ReferenceDeleted || r.State == ReferenceUnreadable
		if !known && !gone && inReach && !slices.Contains(lookups, lookup) {
			lookups = append(lookups, lookup)
		}
	}
	return lookups
}

// lookUp reads the targets of references. A message that is no part of a conversation, or
// stands behind the trigger, counts as found and is not added. A link to a thread becomes one to
// its first message.
func (x *expansion) lookUp(lookups []Lookup, references []reference) error {
	reading, err := x.read(Batch{Lookups: lookups})
	if err != nil {
		return err
	}
	for k, lookup := range lookups {
		found := &reading.Found[k]
		m := &found.Message
		for i := range references {
			if r := &references[i]; r.at == lookup {
				r.state = found.State
				if lookup.Message == 0 && found.State == ReferenceResolved {
					r.at.Message = m.ID
					x.entries[r.from].message = x.entries[r.from].message.linkingTo(m)
				}
			}
		}
		if found.State == ReferenceResolved && !m.System && m.Position().Compare(x.trigger) < 0 {
			x.index[cmp.Or(lookup.Message, m.ID)] = x.add(m)
		}
	}
	return nil
}

// linkingTo returns m with its link to a thread as a link to first, the thread's first message.
func (m *Message) linkingTo(first *Message) *Message {
	linking := *m
	linking.References = slices.Clone(m.References)
	for i := range linking.References {
		if r := &linking.References[i]; r.Kind == ReferenceLink && r.Message == 0 && r.Channel == first.Channel {
			r.Message = first.ID
		}
	}
	return &linking
}

// resolve reports whether a reference leads to a message that may be reached, and sets
// to if it does.
func (x *expansion) resolve(r *reference) bool {
	to, known := x.index[r.at.Message]
	if r.beyond || !known || x.entries[to].message.Channel != r.at.Channel {
		return false
	}
	r.to, r.state = to, ReferenceResolved
	return to != 0 && to != r.from
}

// askedAbout returns the entries that the trigger itself refers to, without starters.
func (x *expansion) askedAbout() []int {
	var entries []int
	for i := range x.references {
		if r := &x.references[i]; r.from == 0 && r.kind != ReferenceStarter && x.resolve(r) {
			entries = append(entries, r.to)
		}
	}
	return entries
}

// way leads to an entry in one round.
type way struct {
	from, to int
	target   MessageID     // the id of to
	gap      time.Duration // between the two
	reason   Reason
}

// addWay records a way of this round.
func (x *expansion) addWay(from, to int, gap time.Duration, reason Reason) {
	reason.Round, reason.From = x.round, x.entries[from].message.ID
	x.ways = append(x.ways, way{from: from, to: to, target: x.entries[to].message.ID, gap: gap, reason: reason})
}

// takeWays takes the best of a step's ways while there is room, and reports whether it
// reached anything new. References come before neighbours, then the higher affinity, the
// smaller gap, the higher id. A way to an entry that was reached before is one more reason
// for it, if it tells more.
func (x *expansion) takeWays() (reached bool) {
	neighbours := func(w *way) int {
		if w.reason.isLink() {
			return 0
		}
		return 1
	}
	slices.SortFunc(x.ways, func(a, b way) int {
		if first := cmp.Or(cmp.Compare(neighbours(&a), neighbours(&b)), cmp.Compare(b.reason.Probability, a.reason.Probability)); first != 0 {
			return first // nearly always
		}
		return cmp.Or(
			cmp.Compare(a.gap, b.gap), cmp.Compare(b.target, a.target),
			cmp.Compare(b.reason.From, a.reason.From), cmp.Compare(a.reason.Reference, b.reason.Reference),
		)
	})
	for _, w := range x.ways {
		e := &x.entries[w.to]
		switch {
		case e.place != unreached:
			if !x.judges || e.isNews(&w.reason) {
				e.reasons = append(e.reasons, w.reason)
			}
			reached, e.led = reached || !e.led, true
		case x.room() > 0:
			x.reach(w.to, w.reason)
			reached = true
		default:
			e.considered = e.considered || !x.judges
			x.refused = append(x.refused, w)
			continue
		}
		if !x.judges || !e.considered {
			e.probability = max(e.probability, x.entries[w.from].probability*w.reason.Probability)
		}
	}
	return reached
}

// isNews reports whether a reason is a reference, or a likelier link than the known
// reasons. A link from a message to what it answers tells no more than any other link.
func (e *entry) isNews(reason *Reason) bool {
	explicit := reason.Kind == ReasonReference && reason.Reference != ReferenceInferred
	known := func(r Reason) bool {
		return r.isLink() && (r.Probability >= reason.Probability || reason.Kind == ReasonAnswer)
	}
	return explicit || reason.isLink() && !slices.ContainsFunc(e.reasons, known)
}
