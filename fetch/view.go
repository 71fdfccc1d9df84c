package fetch

import (
	"slices"

	"heddle/graph"
)

// mostBehind bounds an exchange together with the messages behind it.
const mostBehind = 64

// view returns of a timeline what walks and questions find. Messages that are withheld are
// left out, and the parts of an answer are one message. The lock of the timeline's log
// guards it.
type view struct{ in *timeline }

// message returns an entry as a graph.Message, in which targets that were deleted since
// are marked.
func (v view) message(at int) graph.Message {
	m := v.in.entries[at].message(v.in.channel)
	for i, r := range m.References {
		if r.Message == 0 || r.Channel != v.in.channel || r.State == graph.ReferenceDeleted || !v.in.gone.has(r.Message) {
			continue
		}
		m.References = append([]graph.Reference(nil), m.References...)
		m.References[i].State = graph.ReferenceDeleted
	}
	return m
}

// answer returns the range of own messages that belong to the same answer as the one at
// an index.
func (v view) answer(at int) (from, to int) {
	anchor := v.in.entries[at].anchor
	from, to = at, at+1
	for from > 0 && v.in.entries[from-1].own() && v.in.entries[from-1].anchor == anchor {
		from--
	}
	for to < len(v.in.entries) && v.in.entries[to].own() && v.in.entries[to].anchor == anchor {
		to++
	}
	return from, to
}

// fold folds the own messages [from, to), without notices.
func (v view) fold(from, to int) []graph.Message {
	parts := make([]graph.Message, 0, to-from)
	for at := from; at < to; at++ {
		if !v.in.entries[at].notice {
			parts = append(parts, v.message(at))
		}
	}
	if len(parts) == 1 {
		return parts
	}
	return graph.Fold(parts)
}

// walkOlder walks until it has enough messages, or the window ends.
func (v view) walkOlder(w graph.Walk, in *window) graph.Stretch {
	stretch := graph.Stretch{Messages: make([]graph.Message, 0, min(w.Limit, pageSize))}
	at, _ := v.in.search(w.From)
	// An answer to a deleted message stands where that message stood. At the start of
	// the channel, that may be before all remaining messages.
	for at > 0 && (in.start || v.in.entries[at-1].anchor >= in.lo) {
		if len(stretch.Messages) >= w.Limit {
			return stretch
		}
		at--
		switch e := &v.in.entries[at]; {
		case e.own():
			from, to := v.answer(at)
			if !v.isWithheld(at) {
				folded := v.fold(from, min(to, at+1))
				slices.Reverse(folded)
				stretch.Messages = append(stretch.Messages, folded...)
			}
			at = from
		case !v.isUnseen(at):
			stretch.Messages = append(stretch.Messages, v.message(at))
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
func (v view) walkNewer(w graph.Walk, in *window, trigger graph.Position) graph.Stretch {
	stretch := graph.Stretch{}
	at, held := v.in.search(w.From)
	if held {
		at++
		if v.in.entries[at-1].own() { // its further parts are included already
			_, at = v.answer(at - 1)
		}
	}
	for at < len(v.in.entries) && v.in.entries[at].anchor <= in.hi {
		if len(stretch.Messages) >= w.Limit {
			return stretch
		}
		e := &v.in.entries[at]
		past := e.position().Compare(trigger) >= 0
		switch {
		case e.own() && !e.notice && !v.isWithheld(at):
			from, to := v.answer(at)
			stretch.Messages = append(stretch.Messages, v.fold(from, to)...)
			at = to
		case !v.isUnseen(at):
			stretch.Messages = append(stretch.Messages, v.message(at))
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

// exchange implements History.Exchange.
func (v view) exchange(anchor graph.MessageID) []graph.Message {
	var messages []graph.Message
	at, _ := v.in.search(graph.Position{Anchor: anchor})
	for at < len(v.in.entries) && len(messages) < mostBehind && (v.in.entries[at].anchor == anchor || v.in.entries[at].own() || v.in.entries[at].system) {
		switch {
		case v.isUnseen(at):
			at++
		case v.in.entries[at].own():
			from, to := v.answer(at)
			messages = append(messages, v.fold(from, to)...)
			at = to
		default:
			messages = append(messages, v.message(at))
			at++
		}
	}
	return messages
}

// isWithheld reports whether the message at an index is withheld. An answer of heddle's
// is if its question or any part of it is.
func (v view) isWithheld(at int) bool {
	if v.in.withheld == nil {
		return false
	}
	if v.in.entries[at].withheld || v.in.withheld.by(v.in.entries[at].author) {
		return true
	}
	if !v.in.entries[at].own() {
		return false
	}
	from, to := v.answer(at)
	if question := from - 1; question >= 0 && v.in.entries[question].id == v.in.entries[at].anchor && v.in.withheld.by(v.in.entries[question].author) {
		return true
	}
	return slices.ContainsFunc(v.in.entries[from:to], func(e entry) bool { return e.withheld })
}

// isUnseen reports whether the message at an index is shown to nobody.
func (v view) isUnseen(at int) bool { return v.in.entries[at].unseen() || v.isWithheld(at) }
