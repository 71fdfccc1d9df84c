package graph

import "slices"

// reference is a reference of a message that was reached.
type reference struct {
	from  int // entry
	to    int // entry; notInGraph if there is none or it is not known yet
	kind  ReferenceKind
	at    Lookup // where the target lives
	state ReferenceState
	// beyond is set if the reference is not followed. Its target may still enter the
	// graph in other ways.
	beyond bool
	// probability of the link; 1 unless inferred.
	probability float64
}

// references are the references of messages that were reached.
type references struct {
	*draft
	all []reference
}

// follow records the ways along the references that were not followed yet.
func (x *references) follow() error {
	begin := len(x.all)
	var lookups []Lookup
	for i := range x.nodes {
		if x.spreads(&x.nodes[i]) {
			lookups = x.collect(x.nodes[i].entry, lookups)
		}
	}
	if err := x.lookUp(lookups, x.all[begin:]); err != nil {
		return err
	}
	for i := range x.all {
		r := &x.all[i]
		if x.resolve(r) && (i >= begin || x.entries[r.to].node == notInGraph) { // there was no room for it before
			x.way(r.from, r.to, apart(x.entries[r.from].message, x.entries[r.to].message), Reason{Kind: ReasonReference, Reference: r.kind, Probability: r.probability})
		}
	}
	return nil
}

// refersTo returns the references of m. The question of an answer of heddle's is one that it
// replies to.
func (m *Message) refersTo() []Reference {
	if m.Answers == 0 || slices.ContainsFunc(m.References, func(r Reference) bool { return r.Message == m.Answers && r.in(m) == m.Channel }) {
		return m.References
	}
	return append(slices.Clip(m.References), Reference{Kind: ReferenceReply, Channel: m.Channel, Message: m.Answers})
}

// collect records an entry's references, once, and appends to lookups what has to be read.
func (x *references) collect(from int, lookups []Lookup) []Lookup {
	if x.entries[from].followed {
		return lookups
	}
	x.entries[from].followed = true
	m := x.entries[from].message
	home := x.entries[0].message.Channel
	for _, r := range m.refersTo() {
		if r.Kind == ReferenceAddress || r.Message == 0 {
			continue
		}
		lookup, beyond := Lookup{Channel: r.in(m), Message: r.Message}, !x.options.follows(home, m, &r)
		x.all = append(x.all, reference{
			from: from, to: notInGraph, kind: r.Kind, at: lookup, state: r.State, beyond: beyond, probability: 1,
		})
		_, known := x.index[r.Message]
		gone := r.State == ReferenceDeleted || r.State == ReferenceUnreadable
		if !known && !gone && !beyond && !slices.Contains(lookups, lookup) {
			lookups = append(lookups, lookup)
		}
	}
	return lookups
}

// in returns the channel that a reference of m leads to.
func (r *Reference) in(m *Message) ChannelID {
	if r.Channel != 0 {
		return r.Channel
	}
	return m.Channel
}

// lookUp reads what references lead to. A message that is no part of a conversation, or
// stands behind the trigger, counts as found and is not added.
func (x *references) lookUp(lookups []Lookup, references []reference) error {
	reading, err := x.read(Batch{Lookups: lookups})
	if err != nil {
		return err
	}
	for k, lookup := range lookups {
		found := &reading.Found[k]
		for i := range references {
			if references[i].at == lookup {
				references[i].state = found.State
			}
		}
		m := &found.Message
		if found.State == ReferenceResolved && !m.System && m.Position().Compare(x.trigger) < 0 {
			x.index[lookup.Message] = x.add(m)
		}
	}
	return nil
}

// resolve reports whether a reference leads to a message that may be reached, and sets
// to if it does.
func (x *references) resolve(r *reference) bool {
	to, known := x.index[r.at.Message]
	if r.beyond || !known || x.entries[to].message.Channel != r.at.Channel {
		return false
	}
	r.to, r.state = to, ReferenceResolved
	return to != 0 && to != r.from
}

// asks returns the entries that the trigger itself refers to, except for starters.
func (x *references) asks() []int {
	var entries []int
	for i := range x.all {
		if r := &x.all[i]; r.from == 0 && r.kind != ReferenceStarter && x.resolve(r) {
			entries = append(entries, r.to)
		}
	}
	return entries
}

// kindOf returns the kind of reference by which a message leads to another.
func kindOf(from, to *Message) ReferenceKind {
	for _, r := range from.refersTo() {
		if (r.answers() || r.Kind == ReferenceLink) && to.Holds(r.Message) {
			return r.Kind
		}
	}
	return ReferenceInferred
}

// answers reports whether a message with this reference answers its target.
func (r *Reference) answers() bool {
	return r.Kind == ReferenceReply || r.Kind == ReferenceForward
}
