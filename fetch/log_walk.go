package fetch

import (
	"heddle/graph"
)

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
	if c.held.messages.gone.has(id) {
		return graph.Message{}, stateGone
	}
	at := c.held.messages.find(id)
	if at < 0 {
		return graph.Message{}, stateUnknown
	}
	if c.held.messages.isWithheld(at) {
		return c.held.messages.message(at), stateWithheld
	}
	if c.held.messages.entries[at].notice {
		return c.held.messages.message(at), stateNotice
	}
	if !c.held.messages.entries[at].own() {
		return c.held.messages.message(at), stateHeld
	}
	from, to := c.held.messages.answer(at)
	for _, m := range c.held.messages.fold(from, to) {
		if m.Holds(id) {
			return m, stateHeld
		}
	}
	return c.held.messages.message(at), stateHeld
}

// heard reports whether events have reported every message with an id near this one.
func (c *channelLog) heard(id graph.MessageID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held.covered.heard(id)
}

// walk answers a walk within a window. A walk towards newer messages ends with the
// first one that does not stand before trigger.
func (c *channelLog) walk(w graph.Walk, in *window, trigger graph.Position) graph.Stretch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.Direction == graph.Older {
		return c.held.messages.walkOlder(w, in)
	}
	return c.held.messages.walkNewer(w, in, trigger)
}
