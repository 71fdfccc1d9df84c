package fetch

import (
	"slices"

	"heddle/graph"
)

// What a mention reads is measured in Discord's pages even if the log holds more, so
// that the result does not depend on what is held.
const (
	windowBefore = pageSize         // messages before the trigger
	windowAround = pageSize/2 - 1   // messages on either side of a reference
	windowSlack  = windowBefore / 2 // own answers that stand far from their id
)

// window is the part of a channel that a mention reads: the messages whose anchors are
// between lo and hi.
type window struct {
	lo, hi     graph.MessageID // inclusive
	start, end bool            // the channel has no messages beyond
	unreadable bool            // older messages may not be read
}

func (w *window) holds(id graph.MessageID) bool { return w.lo <= id && id <= w.hi }

// beforeTrigger returns the window before a trigger, and reports whether all of it is
// held: a page of messages, or as many as the channel has. If not, the window contains
// what is held.
func (c *channelLog) beforeTrigger(trigger graph.MessageID) (w window, held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w = window{lo: trigger, hi: trigger, end: true}
	s := c.covered.find(trigger - 1)
	if s == nil {
		if s = c.covered.find(trigger); s == nil || !s.start {
			return w, false
		}
	}
	c.covered.use(s)
	var ids []graph.MessageID
	at, _ := c.messages.search(graph.Position{Anchor: trigger})
	for at--; at >= 0 && c.messages.entries[at].anchor >= s.lo && len(ids) < windowBefore+windowSlack; at-- {
		if id := c.messages.entries[at].id; id < trigger {
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
func (c *channelLog) aroundMessage(id graph.MessageID) (w window, held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.messages.find(id)
	if at < 0 {
		return window{}, false
	}
	anchor := c.messages.entries[at].anchor
	s := c.covered.find(anchor)
	if s == nil { // an own answer whose trigger is not held, or a message outside of all spans
		if s = c.covered.find(id); s == nil {
			return window{}, false
		}
		return window{lo: anchor, hi: anchor}, true
	}
	c.covered.use(s)
	older := at - windowAround
	if older >= 0 && c.messages.entries[older].anchor >= s.lo {
		w.lo = c.messages.entries[older].anchor
	} else {
		w.lo, w.start = s.lo, s.start
	}
	newer := at + windowAround
	if newer < len(c.messages.entries) && c.messages.entries[newer].anchor <= s.hi {
		w.hi = c.messages.entries[newer].anchor
	} else {
		w.hi, w.end = s.hi, c.covered.live && s == &c.covered.spans[len(c.covered.spans)-1]
	}
	return w, true
}

// windows are windows of one channel, disjoint, and merged where they meet.
type windows []window

func (ws windows) find(id graph.MessageID) *window {
	for i := range ws {
		if ws[i].holds(id) {
			return &ws[i]
		}
	}
	return nil
}

// add returns the windows with w, joined with those that it overlaps.
func (ws windows) add(w window) windows {
	var apart windows
	for _, v := range ws {
		if v.hi < w.lo || w.hi < v.lo {
			apart = append(apart, v)
			continue
		}
		if v.lo < w.lo || v.lo == w.lo && v.start {
			w.lo, w.start, w.unreadable = v.lo, v.start, v.unreadable
		}
		if v.hi > w.hi || v.hi == w.hi && v.end {
			w.hi, w.end = v.hi, v.end
		}
	}
	return append(apart, w)
}
