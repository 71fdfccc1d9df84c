package fetch

import "heddle/graph"

// coverage records the stretches of a channel of which every message is held. The lock
// of the channel's log guards it.
type coverage struct {
	spans spans
	live  bool   // the last span grows with every event
	epoch uint64 // counts how often everything was forgotten
	clock uint64 // counts reads, to tell which span was used last
}

// hear extends the live span to id, or begins one there.
func (v *coverage) hear(id graph.MessageID) {
	n := len(v.spans)
	switch {
	case v.live && id > v.spans[n-1].hi:
		v.spans[n-1].hi = id
	case v.live: // it came late; everything from the span's beginning on was heard
	case n > 0 && id < v.spans[n-1].lo:
		// A page holds newer messages, up to when it was read. Messages between that
		// and id may be missing.
	default:
		v.spans = v.spans.add(span{lo: id, hi: id, used: v.clock})
		v.live = true
	}
}

// passed reports whether id is newer than everything that the live span covers.
func (v *coverage) passed(id graph.MessageID) bool {
	return v.live && id > v.spans[len(v.spans)-1].hi
}

// use records that s is read now.
func (v *coverage) use(s *span) {
	v.clock++
	s.used = v.clock
}

// idlest returns the index of the span that was not read for the longest time. It is
// the live one only if there is no other.
func (v *coverage) idlest() int {
	others := v.spans
	if v.live {
		others = others[:len(others)-1]
	}
	idlest := len(v.spans) - 1
	for i := range others {
		if i == 0 || others[i].used < v.spans[idlest].used {
			idlest = i
		}
	}
	return idlest
}

// cut drops what is covered before first.
func (v *coverage) cut(first graph.MessageID) {
	kept := v.spans[:0]
	for _, s := range v.spans {
		if s.hi < first {
			continue
		}
		if s.lo < first {
			s.lo, s.start = first, false
		}
		kept = append(kept, s)
	}
	v.spans = kept
}

// find returns the span that holds id, or nil.
func (v *coverage) find(id graph.MessageID) *span { return v.spans.find(id) }

// add adds a span that a page has just shown.
func (v *coverage) add(s span) {
	v.use(&s)
	v.spans = v.spans.add(s)
}

// next returns an id behind every message that was heard of, and reports whether any was.
func (v *coverage) next() (graph.MessageID, bool) {
	if !v.live {
		return 0, false
	}
	return v.spans[len(v.spans)-1].hi + 1, true
}

// heard reports whether events have reported every message with an id near this one.
func (v *coverage) heard(id graph.MessageID) bool {
	return v.live && v.spans[len(v.spans)-1].holds(id)
}

// forget drops every span and begins another epoch.
func (v *coverage) forget() {
	v.spans, v.live = nil, false
	v.epoch++
}
