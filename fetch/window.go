package fetch

import (
	"slices"
	"time"

	"heddle/graph"
)

// What a mention reads is measured in Discord's pages even if the log holds more, so
// that the result does not depend on what is held.
const (
	windowBefore = pageSize         // messages before the trigger
	windowAround = pageSize/2 - 1   // messages on either side of a reference
	windowSlack  = windowBefore / 2 // own answers that stand far from their id
)

// beforeTrigger returns the window before a trigger, and reports whether all of it is
// held: a page of messages, or as many as the channel has. If not, the window contains
// what is held.
func (c *channelLog) beforeTrigger(trigger graph.MessageID) (w span, held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w = span{lo: trigger, hi: trigger, end: true}
	s := c.spans.find(trigger - 1)
	if s == nil {
		if s = c.spans.find(trigger); s == nil || !s.start {
			return w, false
		}
	}
	var ids []graph.MessageID
	at, _ := c.messages.search(graph.Position{Anchor: trigger})
	for at--; at >= 0 && c.messages.entries[at].anchor() >= s.lo && len(ids) < windowBefore+windowSlack; at-- {
		if id := c.messages.entries[at].ID; id < trigger {
			ids = append(ids, id)
		}
	}
	if len(ids) < windowBefore {
		w.lo, w.start = s.lo, s.start
		return w, s.start
	}
	slices.Sort(ids)
	w.lo = ids[len(ids)-windowBefore]
	w.start = s.start && len(ids) == windowBefore && at < 0
	return w, true
}

// aroundMessage returns the window around a message, if a span holds it.
func (c *channelLog) aroundMessage(id graph.MessageID) (w span, held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.messages.find(id)
	if at < 0 {
		return span{}, false
	}
	anchor := c.messages.entries[at].anchor()
	s := c.spans.find(anchor)
	if s == nil { // an own answer whose trigger is not held, or a message outside of all spans
		if s = c.spans.find(id); s == nil {
			return span{}, false
		}
		return span{lo: anchor, hi: anchor}, true
	}
	older := at - windowAround
	if older >= 0 && c.messages.entries[older].anchor() >= s.lo {
		w.lo = c.messages.entries[older].anchor()
	} else {
		w.lo, w.start = s.lo, s.start
	}
	newer := at + windowAround
	if newer < len(c.messages.entries) && c.messages.entries[newer].anchor() <= s.hi {
		w.hi = c.messages.entries[newer].anchor()
	} else {
		w.hi, w.end = s.hi, c.live && s == &c.spans[len(c.spans)-1]
	}
	return w, true
}

// first returns the first message of the channel that is shown, or 0 if it is not known.
func (c *channelLog) first() graph.MessageID {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spans) == 0 || !c.spans[0].start {
		return 0
	}
	at := slices.IndexFunc(c.messages.entries, func(e entry) bool { return !e.unseen() })
	if at < 0 {
		return 0
	}
	return c.messages.entries[at].ID
}

// heard reports whether events have reported every message with an id near this one.
func (c *channelLog) heard(id graph.MessageID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live && c.spans[len(c.spans)-1].holds(id)
}

// span is a stretch of a channel: of a log, ids of which it holds every message; of a mention,
// the anchors of the messages that it reads.
type span struct {
	lo, hi     graph.MessageID // inclusive
	start, end bool            // the channel has no messages beyond
	unreadable bool            // older messages may not be read
}

func (s *span) holds(id graph.MessageID) bool { return s.lo <= id && id <= s.hi }

// spans are disjoint, oldest first, and none begins where another ends.
type spans []span

// find returns the span that holds id, or nil.
func (s spans) find(id graph.MessageID) *span {
	at := slices.IndexFunc(s, func(p span) bool { return p.holds(id) })
	if at < 0 {
		return nil
	}
	return &s[at]
}

// add adds p, merged with every span that it touches.
func (s spans) add(p span) spans {
	var before, after spans
	for _, q := range s {
		switch {
		case q.hi < p.lo && q.hi+1 != p.lo:
			before = append(before, q)
		case q.lo > p.hi && p.hi+1 != q.lo:
			after = append(after, q)
		default:
			if q.lo < p.lo || q.lo == p.lo && q.start {
				p.lo, p.start, p.unreadable = q.lo, q.start, q.unreadable
			}
			if q.hi > p.hi || q.hi == p.hi && q.end {
				p.hi, p.end = q.hi, q.end
			}
		}
	}
	return append(append(before, p), after...)
}

// from returns the spans without what is before first.
func (s spans) from(first graph.MessageID) spans {
	kept := s[:0]
	for _, p := range s {
		if p.hi < first {
			continue
		}
		if p.lo < first {
			p = span{lo: first, hi: p.hi}
		}
		kept = append(kept, p)
	}
	return kept
}

// mostBehind bounds an exchange together with the messages behind it.
const mostBehind = 64

// state is what a log holds of one message.
type state uint8

const (
	stateUnknown state = iota
	stateHeld
	stateGone
	stateWithheld // held, but shown to nobody
	stateNotice   // held, but no part of the conversation
)

// lookup returns a message, folded, if it is held. Only the ids of a withheld message
// are.
func (c *channelLog) lookup(id graph.MessageID) (graph.Message, state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.messages.gone.Contains(id) {
		return graph.Message{}, stateGone
	}
	at := c.messages.find(id)
	switch {
	case at < 0:
		return graph.Message{}, stateUnknown
	case c.messages.isWithheld(at):
		return c.messages.message(at), stateWithheld
	case c.messages.entries[at].notice:
		return c.messages.message(at), stateNotice
	case c.messages.entries[at].own():
		for _, m := range c.messages.fold(c.messages.answer(at)) {
			if m.Holds(id) {
				return m, stateHeld
			}
		}
	}
	return c.messages.message(at), stateHeld
}

// message returns an entry as a graph.Message, in which targets that were deleted since
// are marked, and without what it forwards that must not be used. It shares memory
// with the entry and must not be changed.
func (t *timeline) message(at int) graph.Message {
	m := t.entries[at].Message
	t.filter.uncover(&m)
	for i, r := range m.References {
		if r.Message == 0 || r.Channel != t.id || r.State == graph.ReferenceDeleted || !t.gone.Contains(r.Message) {
			continue
		}
		m.References = slices.Clone(m.References)
		m.References[i].State = graph.ReferenceDeleted
	}
	return m
}

// answer returns the range of own messages that belong to the same answer as the one at
// an index.
func (t *timeline) answer(at int) (from, to int) {
	anchor := t.entries[at].anchor()
	part := func(at int) bool { return t.entries[at].own() && t.entries[at].anchor() == anchor }
	for from = at; from > 0 && part(from-1); {
		from--
	}
	for to = at + 1; to < len(t.entries) && part(to); {
		to++
	}
	return from, to
}

// fold folds the own messages [from, to), without notices.
func (t *timeline) fold(from, to int) []graph.Message {
	var parts []graph.Message
	for at := from; at < to; at++ {
		if !t.entries[at].notice {
			parts = append(parts, t.message(at))
		}
	}
	return graph.Fold(parts)
}

// shown returns what is shown of the message at an index, with the further parts of an
// answer, up to index end. It is nothing if the message is withheld, or a notice.
func (t *timeline) shown(at, end int) []graph.Message {
	switch {
	case t.isWithheld(at):
		return nil
	case t.entries[at].own():
		from, to := t.answer(at)
		return t.fold(from, min(to, end))
	case t.entries[at].unseen():
		return nil
	default:
		return []graph.Message{t.message(at)}
	}
}

// isWithheld reports whether the message at an index is withheld. An answer of heddle's
// is if its question or any part of it is.
func (t *timeline) isWithheld(at int) bool {
	if e := &t.entries[at]; e.withheld || !e.own() {
		return e.withheld
	}
	from, to := t.answer(at)
	if from > 0 && t.entries[from-1].ID == t.entries[at].Answers {
		from--
	}
	return slices.ContainsFunc(t.entries[from:to], func(e entry) bool { return e.withheld })
}

// walk answers a walk within a window. A walk towards newer messages ends with the
// first one that does not stand before trigger.
func (c *channelLog) walk(w graph.Walk, in *span, trigger graph.Position) graph.Stretch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.Direction == graph.Older {
		return c.messages.walkOlder(w, in)
	}
	return c.messages.walkNewer(w, in, trigger)
}

// walkOlder walks until it has enough messages, or the window ends.
func (t *timeline) walkOlder(w graph.Walk, in *span) graph.Stretch {
	var stretch graph.Stretch
	at, _ := t.search(w.From)
	// An answer to a deleted message stands where that message stood. At the start of
	// the channel, that may be before all remaining messages.
	for at > 0 && len(stretch.Messages) < w.Limit && (in.start || t.entries[at-1].anchor() >= in.lo) {
		shown := t.shown(at-1, at)
		slices.Reverse(shown)
		stretch.Messages = append(stretch.Messages, shown...)
		if at--; t.entries[at].own() {
			at, _ = t.answer(at)
		}
	}
	switch {
	case len(stretch.Messages) >= w.Limit:
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
func (t *timeline) walkNewer(w graph.Walk, in *span, trigger graph.Position) graph.Stretch {
	var stretch graph.Stretch
	at, held := t.search(w.From)
	if held {
		at = t.behind(at)
	}
	for at < len(t.entries) && len(stretch.Messages) < w.Limit && t.entries[at].anchor() <= in.hi {
		shown := t.shown(at, len(t.entries))
		stretch.Messages = append(stretch.Messages, shown...)
		if len(shown) > 0 && t.entries[at].Position().Compare(trigger) >= 0 {
			return stretch
		}
		at = t.behind(at)
	}
	switch {
	case len(stretch.Messages) >= w.Limit:
	case in.end:
		stretch.End = graph.EndChannel
	default:
		stretch.End = graph.EndUnread
	}
	return stretch
}

// behind returns the index behind a message, or behind all parts of an answer.
func (t *timeline) behind(at int) int {
	if !t.entries[at].own() {
		return at + 1
	}
	_, to := t.answer(at)
	return to
}

// Exchange returns the exchange that begins with a message, as far as it is held,
// folded, and the messages of heddle's own directly behind it, oldest first.
func (h *History) Exchange(channel graph.ChannelID, anchor graph.MessageID) []graph.Message {
	c := h.logs.known(channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	var messages []graph.Message
	at, _ := c.messages.search(graph.Position{Anchor: anchor})
	for at < len(c.messages.entries) && len(messages) < mostBehind {
		if e := &c.messages.entries[at]; e.anchor() != anchor && !e.own() && !e.System {
			break
		}
		messages = append(messages, c.messages.shown(at, len(c.messages.entries))...)
		at = c.messages.behind(at)
	}
	return messages
}

// Around returns the messages around one that are held, at most most on either side, as far
// as no pause between two is longer than longest. Questions to heddle and its answers are
// left out, as only together they say anything.
func (h *History) Around(channel graph.ChannelID, anchor graph.MessageID, most int, longest time.Duration) (messages []graph.Message) {
	c := h.logs.known(channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.messages
	begin := t.find(anchor)
	if begin < 0 {
		return nil
	}
	for _, step := range [...]int{-1, 1} {
		last := t.entries[begin].Time
		for at, n := begin+step, 0; at >= 0 && at < len(t.entries) && n < most; at += step {
			m := &t.entries[at]
			if m.unseen() {
				continue
			}
			if m.Time.Sub(last).Abs() > longest || t.isWithheld(at) {
				break
			}
			last = m.Time
			if answered := at+1 < len(t.entries) && t.entries[at+1].anchor() == m.ID; !m.own() && !answered {
				messages = append(messages, t.message(at))
				n++
			}
		}
	}
	return messages
}
