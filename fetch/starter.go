package fetch

import (
	"slices"

	"heddle/graph"
)

// firstMessages is how many of the oldest messages of a thread are looked at for the one
// that points at what the thread started from. Discord puts it first.
const firstMessages = 8

// Starter returns the reference to the message that the trigger's thread started from, if
// the thread's first message is held and points there.
func (m *Mention) Starter() (graph.Reference, bool) {
	c := m.channelLog(m.place.Channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range min(firstMessages, len(c.messages.entries)) {
		references := c.messages.message(i).References
		at := slices.IndexFunc(references, func(r graph.Reference) bool { return r.Kind == graph.ReferenceStarter })
		if at >= 0 {
			return references[at], true
		}
	}
	return graph.Reference{}, false
}
