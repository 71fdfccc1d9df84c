package fetch

import (
	"slices"

	"heddle/graph"
)

// trim bounds the log after pages were added to it.
func (c *channelLog) trim(limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trimLocked(limit)
}

// trimLocked shrinks the log below limit messages if it exceeds that. It first removes
// messages that belong to no span, then the spans that were not read for the longest
// time, then the oldest messages. It removes an eighth more than needed, so that a busy
// channel does not pay for it with every message.
func (c *channelLog) trimLocked(limit int) {
	if len(c.messages.entries) <= limit {
		return
	}
	wanted := limit - limit/8
	c.messages.drop(func(e *entry) bool { return c.covered.find(e.anchor) == nil && c.covered.find(e.id) == nil })
	for len(c.messages.entries) > limit && len(c.covered.spans) > 1 {
		i := c.covered.idlest()
		if i == len(c.covered.spans)-1 && c.covered.live {
			break
		}
		idle := c.covered.spans[i]
		c.covered.spans = slices.Delete(c.covered.spans, i, i+1)
		c.messages.drop(func(e *entry) bool { return idle.holds(e.anchor) })
	}
	if len(c.messages.entries) > limit {
		c.cutLocked(c.messages.entries[len(c.messages.entries)-wanted].anchor)
	}
	c.covered.live = c.covered.live && len(c.covered.spans) > 0
	c.messages.replies = c.messages.replies.trimmed(c.messages.entries)
}

// cutLocked drops every message placed before first.
func (c *channelLog) cutLocked(first graph.MessageID) {
	until, _ := c.messages.search(graph.Position{Anchor: first})
	c.messages.take(0, until)
	c.covered.cut(first)
}
