package fetch

import (
	"heddle/graph"
)

// state is what a log knows about one message.
type state uint8

const (
	stateUnknown state = iota
	stateHeld
	stateGone
	stateWithheld // held, and for nobody to see
)

// lookup returns a message, folded, if it is held. Of one that is withheld there are
// only ids.
func (c *channelLog) lookup(id graph.MessageID) (graph.Message, state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.messages.gone.has(id) {
		return graph.Message{}, stateGone
	}
	at := c.messages.find(id)
	if at < 0 {
		return graph.Message{}, stateUnknown
	}
	if c.messages.isWithheld(at) {
		return c.messages.message(at), stateWithheld
	}
	if !c.messages.entries[at].own() {
		return c.messages.message(at), stateHeld
	}
	from, to := c.messages.answer(at)
	for _, m := range c.messages.fold(from, to) {
		if m.Holds(id) {
			return m, stateHeld
		}
	}
	return c.messages.message(at), stateHeld
}

// heard reports whether events have told of every message with an id around this one.
func (c *channelLog) heard(id graph.MessageID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.covered.heard(id)
}

// walk answers a walk inside a window. The first message that does not stand
// before trigger ends a walk towards the newer ones, and is its last.
func (c *channelLog) walk(w graph.Walk, in *window, trigger graph.Position) graph.Stretch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.Direction == graph.Older {
		return c.messages.walkOlder(w, in)
	}
	return c.messages.walkNewer(w, in, trigger)
}
