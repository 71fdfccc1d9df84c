package fetch

import (
	"slices"

	"heddle/graph"
)

// firstMessages is the number of the oldest messages of a thread that are searched for
// the one that points at the thread's starter. Discord puts that first.
const firstMessages = 8

// Starter returns the reference to the starter of the trigger's thread, if the thread's
// first message is held and points at it.
func (m *Mention) Starter() (graph.Reference, bool) {
	c := m.channelLog(m.place.Channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range min(firstMessages, len(c.messages.entries)) {
		references := view{&c.messages}.message(i).References
		at := slices.IndexFunc(references, func(r graph.Reference) bool { return r.Kind == graph.ReferenceStarter })
		if at >= 0 {
			return references[at], true
		}
	}
	return graph.Reference{}, false
}
