package graph

import "slices"

// reference is a reference of a node that was followed or is about to be.
type reference struct {
	from  int // entry
	to    int // entry; notInGraph if there is none or it is not known yet
	kind  ReferenceKind
	at    Lookup // where the target lives
	state ReferenceState
	// probability of the link; 1 unless inferred.
	probability float64
}

// tik follows every reference not yet followed of every message in the graph, one
// level deep, and reports whether it added any.
func (x *expansion) tik() (added bool, err error) {
	begin := len(x.references)
	var lookups []Lookup
	for ; x.followed < len(x.nodes); x.followed++ {
		lookups = x.collect(x.nodes[x.followed].entry, lookups)
	}
	if err := x.lookUp(lookups, x.references[begin:]); err != nil {
		return false, err
	}
	x.ways = x.ways[:0]
	for i := range x.references[begin:] {
		r := &x.references[begin+i]
		if x.resolve(r) {
			x.ways = append(x.ways, x.wayAlong(r))
		}
	}
	return x.admit(), nil
}

// collect notes an entry's references and adds to the lookups what has to be read.
func (x *expansion) collect(from int, lookups []Lookup) []Lookup {
	m := x.entries[from].message
	home := x.entries[0].message.Channel
	for _, r := range m.References {
		if r.Kind == ReferenceAddress || r.Message == 0 {
			continue
		}
		lookup := Lookup{Channel: r.in(m), Message: r.Message}
		x.references = append(x.references, reference{
			from: from, to: notInGraph, kind: r.Kind, at: lookup, state: r.State, probability: 1,
		})
		_, known := x.index[r.Message]
		gone := r.State == ReferenceDeleted || r.State == ReferenceUnreadable
		if !known && !gone && x.options.reaches(home, lookup.Channel) && !slices.Contains(lookups, lookup) {
			lookups = append(lookups, lookup)
		}
	}
	return lookups
}

// in is the channel that a reference of m leads to.
func (r *Reference) in(m *Message) ChannelID {
	if r.Channel != 0 {
		return r.Channel
	}
	return m.Channel
}

// lookUp reads what references lead to.
func (x *expansion) lookUp(lookups []Lookup, references []reference) error {
	reading, err := x.read(Batch{Lookups: lookups})
	if err != nil {
		return err
	}
	for i := range lookups {
		x.found(lookups[i], &reading.Found[i], references)
	}
	return nil
}

// found takes in the outcome of a lookup. What is no part of a conversation, or
// stands behind the trigger, is known to be there and not added.
func (x *expansion) found(lookup Lookup, found *Found, references []reference) {
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

// resolve reports whether a reference leads to a message that may be admitted, and
// records which.
func (x *expansion) resolve(r *reference) bool {
	to, known := x.index[r.at.Message]
	if !known || x.entries[to].message.Channel != r.at.Channel {
		return false
	}
	r.to, r.state = to, ReferenceResolved
	return to != 0 && to != r.from
}

func (x *expansion) wayAlong(r *reference) way {
	from, to := x.entries[r.from].message, x.entries[r.to].message
	return way{from: r.from, to: r.to, target: to.ID, gap: from.Time.Sub(to.Time).Abs(), reason: Reason{
		Kind: ReasonReference, Round: x.round, From: from.ID, Reference: r.kind, Probability: r.probability,
	}}
}
