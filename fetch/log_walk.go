package fetch

import (
	"slices"

	"heddle/graph"
)

// state is what a log knows about one message.
type state uint8

const (
	stateUnknown state = iota
	stateHeld
	stateGone
)

// lookup returns a message, folded, if it is held.
func (c *channelLog) lookup(id graph.MessageID) (graph.Message, state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone.has(id) {
		return graph.Message{}, stateGone
	}
	at := c.findLocked(id)
	if at < 0 {
		return graph.Message{}, stateUnknown
	}
	if !c.entries[at].own() {
		return c.messageLocked(at), stateHeld
	}
	from, to := c.answerLocked(at)
	for _, m := range c.foldLocked(from, to) {
		if m.Holds(id) {
			return m, stateHeld
		}
	}
	return c.messageLocked(at), stateHeld
}

// heard reports whether events have told of every message with an id around this one.
func (c *channelLog) heard(id graph.MessageID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live && c.spans[len(c.spans)-1].holds(id)
}

// messageLocked is an entry as it is read now: targets that were deleted since
// are marked.
func (c *channelLog) messageLocked(at int) graph.Message {
	m := c.entries[at].message(c.id)
	for i, r := range m.References {
		if r.Message == 0 || r.Channel != c.id || r.State == graph.ReferenceDeleted || !c.gone.has(r.Message) {
			continue
		}
		m.References = append([]graph.Reference(nil), m.References...)
		m.References[i].State = graph.ReferenceDeleted
	}
	return m
}

// answerLocked is where the own messages are that stand with the one at.
func (c *channelLog) answerLocked(at int) (from, to int) {
	anchor := c.entries[at].anchor
	from, to = at, at+1
	for from > 0 && c.entries[from-1].own() && c.entries[from-1].anchor == anchor {
		from--
	}
	for to < len(c.entries) && c.entries[to].own() && c.entries[to].anchor == anchor {
		to++
	}
	return from, to
}

// foldLocked folds the own messages from from to to.
func (c *channelLog) foldLocked(from, to int) []graph.Message {
	parts := make([]graph.Message, 0, to-from)
	for at := from; at < to; at++ {
		parts = append(parts, c.messageLocked(at))
	}
	if len(parts) == 1 {
		return parts
	}
	return graph.Fold(parts)
}

// walk answers a walk inside a window. The first message that does not stand
// before trigger ends a walk towards the newer ones, and is its last.
func (c *channelLog) walk(w graph.Walk, in *window, trigger graph.Position) graph.Stretch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.Direction == graph.Older {
		return c.walkOlderLocked(w, in)
	}
	return c.walkNewerLocked(w, in, trigger)
}

func (c *channelLog) walkOlderLocked(w graph.Walk, in *window) graph.Stretch {
	stretch := graph.Stretch{Messages: make([]graph.Message, 0, min(w.Limit, pageSize))}
	at, _ := c.searchLocked(w.From)
	// An answer to a deleted message stands where that one stood, which at the
	// channel's start may be before all that is left.
	for at > 0 && (in.start || c.entries[at-1].anchor >= in.lo) {
		if len(stretch.Messages) >= w.Limit {
			return stretch
		}
		at--
		switch e := &c.entries[at]; {
		case e.own():
			from, to := c.answerLocked(at)
			folded := c.foldLocked(from, min(to, at+1))
			slices.Reverse(folded)
			stretch.Messages = append(stretch.Messages, folded...)
			at = from
		case !e.system:
			stretch.Messages = append(stretch.Messages, c.messageLocked(at))
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

func (c *channelLog) walkNewerLocked(w graph.Walk, in *window, trigger graph.Position) graph.Stretch {
	stretch := graph.Stretch{}
	at, held := c.searchLocked(w.From)
	if held {
		at++
		if c.entries[at-1].own() { // its further parts are behind it already
			_, at = c.answerLocked(at - 1)
		}
	}
	for at < len(c.entries) && c.entries[at].anchor <= in.hi {
		if len(stretch.Messages) >= w.Limit {
			return stretch
		}
		e := &c.entries[at]
		past := e.position().Compare(trigger) >= 0
		switch {
		case e.own():
			from, to := c.answerLocked(at)
			stretch.Messages = append(stretch.Messages, c.foldLocked(from, to)...)
			at = to
		case !e.system:
			stretch.Messages = append(stretch.Messages, c.messageLocked(at))
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
