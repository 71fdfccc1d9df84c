package fetch

import (
	"slices"

	"heddle/graph"
)

// Held returns the newest messages of a channel that are held before one, at most so
// many, oldest first and folded, without reading from Discord. There may be holes
// between them.
func (h *History) Held(channel graph.ChannelID, before graph.MessageID, most int) []graph.Message {
	c := h.logs.known(channel)
	if c == nil {
		return nil
	}
	from := graph.Position{Anchor: before}
	whole := window{start: true}
	held := c.walk(graph.Walk{Channel: channel, From: from, Direction: graph.Older, Limit: most}, &whole, from).Messages
	slices.Reverse(held)
	return held
}

// Next returns an id that follows every message that events have told of in a channel,
// and reports whether events have told of any.
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
