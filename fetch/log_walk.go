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
	held := &c.messages
	seen := view{held}
	if held.gone.has(id) {
		return graph.Message{}, stateGone
	}
	at := held.find(id)
	switch {
	case at < 0:
		return graph.Message{}, stateUnknown
	case seen.isWithheld(at):
		return seen.message(at), stateWithheld
	case held.entries[at].notice:
		return seen.message(at), stateNotice
	case held.entries[at].own():
		for _, m := range seen.fold(seen.answer(at)) {
			if m.Holds(id) {
				return m, stateHeld
			}
		}
	}
	return seen.message(at), stateHeld
}

// heard reports whether events have reported every message with an id near this one.
func (c *channelLog) heard(id graph.MessageID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.covered.heard(id)
}

// walk answers a walk within a window. A walk towards newer messages ends with the
// first one that does not stand before trigger.
func (c *channelLog) walk(w graph.Walk, in *window, trigger graph.Position) graph.Stretch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.Direction == graph.Older {
		return view{&c.messages}.walkOlder(w, in)
	}
	return view{&c.messages}.walkNewer(w, in, trigger)
}
