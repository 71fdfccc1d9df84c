package fetch

import (
	"heddle/graph"
	"heddle/graph/recall"
)

// held is what a History holds of channels. Its methods never read from Discord.
type held struct{ logs logs }

// Message returns the version of a message that is held, folded. It never reads from
// Discord.
func (h *held) Message(channel graph.ChannelID, id graph.MessageID) (graph.Message, bool) {
	c := h.logs.known(channel)
	if c == nil {
		return graph.Message{}, false
	}
	m, known := c.lookup(id)
	shown := []graph.Message{m}
	h.logs.unquoted(shown)
	return shown[0], known == stateHeld || known == stateNotice
}

// Sharing returns the exchanges of a channel before a message that share words of at
// least least bits with a question, best first. It searches what is held, which may
// have gaps, and further, which counts as if it were held. It never reads from Discord.
func (h *held) Sharing(channel graph.ChannelID, before graph.MessageID, words *recall.Words, least float64, further []graph.Message) []recall.Scored {
	c := h.logs.known(channel)
	if c == nil {
		return nil
	}
	defer h.logs.count(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.messages.sharing(words, before, least, further)
}

// Exchange returns the exchange that begins with a message, as far as it is held,
// folded, and the messages of heddle's own directly behind it, oldest first.
func (h *held) Exchange(channel graph.ChannelID, anchor graph.MessageID) []graph.Message {
	c := h.logs.known(channel)
	if c == nil {
		return nil
	}
	c.mu.Lock()
	messages := view{&c.messages}.exchange(anchor)
	c.mu.Unlock()
	h.logs.unquoted(messages) // it locks the logs itself
	return messages
}

// Next returns an id behind every message that events have reported in a channel, and
// reports whether events have reported any.
func (h *held) Next(channel graph.ChannelID) (graph.MessageID, bool) {
	c := h.logs.known(channel)
	if c == nil {
		return 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.covered.next()
}
