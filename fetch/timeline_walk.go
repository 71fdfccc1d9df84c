package fetch

import (
	"slices"

	"heddle/graph"
)

// message returns an entry as a graph.Message, in which targets that were deleted since
// are marked.
func (t *timeline) message(at int) graph.Message {
	m := t.entries[at].message(t.channel)
	for i, r := range m.References {
		if r.Message == 0 || r.Channel != t.channel || r.State == graph.ReferenceDeleted || !t.gone.has(r.Message) {
			continue
		}
		m.References = append([]graph.Reference(nil), m.References...)
		m.References[i].State = graph.ReferenceDeleted
	}
	return m
}

// answer returns the range of own messages that belong to the same answer as the one at
// an index.
func (t *timeline) answer(at int) (from, to int) {
	anchor := t.entries[at].anchor
	from, to = at, at+1
	for from > 0 && t.entries[from-1].own() && t.entries[from-1].anchor == anchor {
		from--
	}
	for to < len(t.entries) && t.entries[to].own() && t.entries[to].anchor == anchor {
		to++
	}
	return from, to
}

// fold folds the own messages [from, to), without notices.
func (t *timeline) fold(from, to int) []graph.Message {
	parts := make([]graph.Message, 0, to-from)
	for at := from; at < to; at++ {
		if !t.entries[at].notice {
			parts = append(parts, t.message(at))
		}
	}
	if len(parts) == 1 {
		return parts
	}
	return graph.Fold(parts)
}

// walkOlder walks until it has enough messages, or the window ends.
func (t *timeline) walkOlder(w graph.Walk, in *window) graph.Stretch {
	stretch := graph.Stretch{Messages: make([]graph.Message, 0, min(w.Limit, pageSize))}
	at, _ := t.search(w.From)
	// An answer to a deleted message stands where that message stood. At the start of
	// the channel, that may be before all remaining messages.
	for at > 0 && (in.start || t.entries[at-1].anchor >= in.lo) {
		if len(stretch.Messages) >= w.Limit {
			return stretch
		}
		at--
		switch e := &t.entries[at]; {
		case e.own():
			from, to := t.answer(at)
			if !t.isWithheld(at) {
				folded := t.fold(from, min(to, at+1))
				slices.Reverse(folded)
				stretch.Messages = append(stretch.Messages, folded...)
			}
			at = from
		case !t.isUnseen(at):
			stretch.Messages = append(stretch.Messages, t.message(at))
		}
	}
	if len(stretch.Messages) >= w.Limit {
		return stretch
	}
	switch {
	case in.unreadable:
		stretch.End = graph.EndUnreadable
	case in.start:
		stretch.End = graph.EndChannel
	default:
		stretch.End = graph.EndUnread
	}
	return stretch
}

// walkNewer walks until it has enough messages, the window ends, or it reaches the
// trigger.
func (t *timeline) walkNewer(w graph.Walk, in *window, trigger graph.Position) graph.Stretch {
	stretch := graph.Stretch{}
	at, held := t.search(w.From)
	if held {
		at++
		if t.entries[at-1].own() { // its further parts are included already
			_, at = t.answer(at - 1)
		}
	}
	for at < len(t.entries) && t.entries[at].anchor <= in.hi {
		if len(stretch.Messages) >= w.Limit {
			return stretch
		}
		e := &t.entries[at]
		past := e.position().Compare(trigger) >= 0
		switch {
		case e.own() && !e.notice && !t.isWithheld(at):
			from, to := t.answer(at)
			stretch.Messages = append(stretch.Messages, t.fold(from, to)...)
			at = to
		case !t.isUnseen(at):
			stretch.Messages = append(stretch.Messages, t.message(at))
			at++
		default:
			at++
			past = false
		}
		if past {
			return stretch
		}
	}
	if len(stretch.Messages) >= w.Limit {
		return stretch
	}
	stretch.End = graph.EndUnread
	if in.end {
		stretch.End = graph.EndChannel
	}
	return stretch
}
