package path

import "heddle/graph"

// TurnMessages returns the message behind every turn of the path, or 0 for the system
// prompt and other turns without one. A recorded answer may have several turns, because
// of the tools that it called.
func (b *Built) TurnMessages() []graph.MessageID {
	ids := make([]graph.MessageID, len(b.Path.Turns))
	copy(ids, b.behind)
	return ids
}
