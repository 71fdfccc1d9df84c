package fetch

import "heddle/graph"

// channel returns the log of a channel, a new one if there is none, and makes it
// the one used last.
func (h *History) channel(id graph.ChannelID) *channelLog {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.channels[id]
	if c == nil {
		c = newChannelLog(id)
		h.channels[id] = c
	} else {
		h.unlinkLocked(c)
	}
	c.older, c.newer = h.recent, nil
	if h.recent != nil {
		h.recent.newer = c
	} else {
		h.idle = c
	}
	h.recent = c
	return c
}

// change applies an event to a channel's log.
func (h *History) change(id graph.ChannelID, apply func(*channelLog)) {
	if id == 0 {
		return
	}
	c := h.channel(id)
	apply(c)
	h.count(c)
}

// count brings the sum up to date after c changed, and drops the logs that were
// not used for the longest time while it is over the bound. A mention under way
// keeps the logs that it reads.
func (h *History) count(c *channelLog) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.channels[c.id] != c {
		return
	}
	size := c.size.Load()
	h.held += size - c.counted
	c.counted = size
	for h.held > h.bytes && h.idle != nil && h.idle != h.recent {
		h.removeLocked(h.idle)
	}
}

func (h *History) removeLocked(c *channelLog) {
	h.unlinkLocked(c)
	delete(h.channels, c.id)
	h.held -= c.counted
	c.counted = 0
}

func (h *History) unlinkLocked(c *channelLog) {
	if c.older != nil {
		c.older.newer = c.newer
	} else {
		h.idle = c.newer
	}
	if c.newer != nil {
		c.newer.older = c.older
	} else {
		h.recent = c.older
	}
	c.older, c.newer = nil, nil
}
