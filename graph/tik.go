package graph

import "slices"

// reference is a reference of a message in the graph.
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

// references are the references of messages in the graph.
type references struct {
	*line
	all []reference
}

func newReferences(l *line) *references { return &references{line: l, all: l.memory.references[:0]} }

// tik follows, one level deep, every reference that was not followed yet, and reports
// whether it added any message.
func (x *expansion) tik() (added bool, err error) {
	begin := len(x.references.all)
	var lookups []Lookup
	for ; x.followed < len(x.draft.nodes); x.followed++ {
		lookups = x.references.collect(x.draft.nodes[x.followed].entry, lookups)
	}
	if err := x.references.lookUp(lookups, x.references.all[begin:]); err != nil {
		return false, err
	}
	x.ways = x.ways[:0]
	for i := range x.references.all[begin:] {
		r := &x.references.all[begin+i]
		if x.references.resolve(r) {
			w := x.references.wayAlong(r)
			w.reason.Round = x.draft.round
			x.ways = append(x.ways, w)
		}
	}
	return x.admit(), nil
}

// collect records an entry's references and appends to lookups what has to be read.
func (rs *references) collect(from int, lookups []Lookup) []Lookup {
	m := rs.entries[from].message
	home := rs.entries[0].message.Channel
	for _, r := range m.References {
		if r.Kind == ReferenceAddress || r.Message == 0 {
			continue
		}
		lookup, beyond := Lookup{Channel: r.in(m), Message: r.Message}, !rs.options.follows(home, m, &r)
		rs.all = append(rs.all, reference{
			from: from, to: notInGraph, kind: r.Kind, at: lookup, state: r.State, beyond: beyond, probability: 1,
		})
		_, known := rs.index[r.Message]
		gone := r.State == ReferenceDeleted || r.State == ReferenceUnreadable || r.State == ReferenceWithheld
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

// lookUp reads what references lead to.
func (rs *references) lookUp(lookups []Lookup, references []reference) error {
	reading, err := rs.read(Batch{Lookups: lookups})
	if err != nil {
		return err
	}
	for i := range lookups {
		rs.found(lookups[i], &reading.Found[i], references)
	}
	return nil
}

// found handles the outcome of a lookup. A message that is no part of a conversation,
// or stands behind the trigger, counts as found and is not added.
func (rs *references) found(lookup Lookup, found *Found, references []reference) {
	for i := range references {
		if references[i].at == lookup {
			references[i].state = found.State
		}
	}
	m := &found.Message
	if found.State == ReferenceResolved && !m.System && m.Position().Compare(rs.trigger) < 0 {
		rs.index[lookup.Message] = rs.add(m)
	}
}

// resolve reports whether a reference leads to a message that may be admitted, and sets
// to if it does.
func (rs *references) resolve(r *reference) bool {
	to, known := rs.index[r.at.Message]
	if r.beyond || !known || rs.entries[to].message.Channel != r.at.Channel {
		return false
	}
	r.to, r.state = to, ReferenceResolved
	return to != 0 && to != r.from
}

// wayAlong returns the way along a resolved reference, without its round.
func (rs *references) wayAlong(r *reference) way {
	from, to := rs.entries[r.from].message, rs.entries[r.to].message
	return way{from: r.from, to: r.to, target: to.ID, gap: from.Time.Sub(to.Time).Abs(), reason: Reason{
		Kind: ReasonReference, From: from.ID, Reference: r.kind, Probability: r.probability,
	}}
}

// asks returns the entries that the trigger itself refers to, except for starters.
func (rs *references) asks() []int {
	var entries []int
	for i := range rs.all {
		r := &rs.all[i]
		if r.from == 0 && r.kind != ReferenceStarter && rs.resolve(r) {
			entries = append(entries, r.to)
		}
	}
	return entries
}
