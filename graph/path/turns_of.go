package path

import "heddle/graph"

// TurnMessages returns for every turn of the path the message behind it, zero for the
// system prompt and for what no message stands behind. An answer on record may have several
// turns, with the tools that it called.
func (b *Built) TurnMessages() []graph.MessageID {
	ids := make([]graph.MessageID, len(b.Path.Turns))
	copy(ids, b.behind)
	return ids
}
