package fetch

import (
	"slices"

	"heddle/graph"
)

// maxReplies is how many own messages' replies are remembered beyond those held.
const maxReplies = 1024

// trim bounds what pages have added since the last event.
func (c *channelLog) trim(limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trimLocked(limit)
}

// trimLocked brings the log below limit messages once it is over: what belongs to
// no span goes first, then the spans that were not read from for the longest time,
// then the oldest of what is left. An eighth more than needed goes, so that a busy
// channel does not pay for it with every message.
func (c *channelLog) trimLocked(limit int) {
	if len(c.entries) <= limit {
		return
	}
	wanted := limit - limit/8
	c.dropLocked(func(e *entry) bool { return c.spans.find(e.anchor) == nil && c.spans.find(e.id) == nil })
	for len(c.entries) > limit && len(c.spans) > 1 {
		i := c.idlestLocked()
		if i == len(c.spans)-1 && c.live {
			break
		}
		idle := c.spans[i]
		c.spans = c.spans.remove(i)
		c.dropLocked(func(e *entry) bool { return idle.holds(e.anchor) })
	}
	if len(c.entries) > limit {
		c.cutLocked(c.entries[len(c.entries)-wanted].anchor)
	}
	c.live = c.live && len(c.spans) > 0
	c.trimRepliesLocked()
}

// idlestLocked is the span that was not read from for the longest time, the live
// one only where there is no other.
func (c *channelLog) idlestLocked() int {
	others := c.spans
	if c.live {
		others = others[:len(others)-1]
	}
	idlest := len(c.spans) - 1
	for i := range others {
		if i == 0 || others[i].used < c.spans[idlest].used {
			idlest = i
		}
	}
	return idlest
}

// cutLocked drops everything placed before first.
func (c *channelLog) cutLocked(first graph.MessageID) {
	until, _ := c.searchLocked(graph.Position{Anchor: first})
	c.takeLocked(0, until)
	kept := c.spans[:0]
	for _, s := range c.spans {
		if s.hi < first {
			continue
		}
		if s.lo < first {
			s.lo, s.start = first, false
		}
		kept = append(kept, s)
	}
	c.spans = kept
}

func (c *channelLog) dropLocked(drop func(*entry) bool) {
	c.entries = slices.DeleteFunc(c.entries, func(e entry) bool {
		dropped := drop(&e)
		if dropped {
			c.size.Add(-e.size())
		}
		return dropped
	})
}

func (c *channelLog) trimRepliesLocked() {
	if len(c.replies) <= maxReplies {
		return
	}
	kept := make(map[graph.MessageID]graph.MessageID)
	for i := range c.entries {
		for id := c.entries[i].id; ; {
			to, own := c.replies[id]
			if _, done := kept[id]; !own || done {
				break
			}
			kept[id] = to
			id = to
		}
	}
	c.replies = kept
}
