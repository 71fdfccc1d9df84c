package fetch

import (
	"heddle/graph"
	"heddle/internal/discord"
)

const (
	// maxChain bounds how many parts an own answer's chain of replies is followed back.
	maxChain = 64
	// maxReplies is how many own messages' replies are remembered beyond those held.
	maxReplies = 1024
)

// anchor follows what an own message replies to back to what is not known
// to be heddle's own; any other message is its own anchor.
func (t *timeline) anchor(id graph.MessageID) graph.MessageID {
	for range maxChain {
		to, own := t.replies[id]
		if !own || to >= id { // nothing answers what came later
			break
		}
		id = to
	}
	return id
}

// noteReply learns what an own message replies to from the message itself.
func (t *timeline) noteReply(m *discord.Message) {
	if m.Reference != nil && !m.Reference.Forward && m.Type == discord.TypeReply {
		t.reply(m.ID, m.Reference.Message)
	}
}

// reply learns what an own message replies to, unless more is known.
func (t *timeline) reply(own, to graph.MessageID) {
	if _, known := t.replies[own]; !known {
		t.hang(own, to)
	}
}

// answers learns for certain what an own message answers.
func (t *timeline) answers(own, trigger graph.MessageID) {
	if t.replies[own] != trigger {
		t.hang(own, trigger)
	}
}

// hang records what an own message replies to. Everything held that hangs on it moves
// to its place.
func (t *timeline) hang(own, to graph.MessageID) {
	if own == to || to == 0 {
		return
	}
	// What hangs on own by replies stands behind own's present anchor.
	anchor := t.anchor(own)
	from, _ := t.search(graph.Position{Anchor: anchor})
	until := from
	for until < len(t.entries) && t.entries[until].anchor == anchor {
		until++
	}
	moved := t.take(from, until)
	t.replies[own] = to
	for _, e := range moved {
		t.put(e)
	}
}

// trimReplies forgets the replies of messages that are not held, once they are many.
func (t *timeline) trimReplies() {
	if len(t.replies) <= maxReplies {
		return
	}
	kept := make(map[graph.MessageID]graph.MessageID)
	for i := range t.entries {
		for id := t.entries[i].id; ; {
			to, own := t.replies[id]
			if _, done := kept[id]; !own || done {
				break
			}
			kept[id] = to
			id = to
		}
	}
	t.replies = kept
}
