package fetch

import "heddle/graph"

// Next returns an id behind every message that events have reported in a channel, and
// reports whether events have reported any.
func (h *History) Next(channel graph.ChannelID) (graph.MessageID, bool) {
	c := h.logs.known(channel)
	if c == nil {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.covered.live {
		return 0, false
	}
	return c.covered.spans[len(c.covered.spans)-1].hi + 1, true
}
