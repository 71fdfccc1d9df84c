package fetch

import (
	"heddle/graph"
	"heddle/internal/discord"
)

const (
	// maxChain bounds the parts of an own answer through which its chain of replies is
	// followed.
	maxChain = 64
	// maxReplies bounds the replies that are remembered of own messages that are not
	// held.
	maxReplies = 1024
)

// replies maps heddle's own messages, held or not, to the messages that they reply to.
// Parts of an answer reply to the part before.
type replies map[graph.MessageID]graph.MessageID

// anchor follows the replies of an own message to the first message that is not known
// to be heddle's. Any other message is its own anchor.
func (r replies) anchor(id graph.MessageID) graph.MessageID {
	for range maxChain {
		to, own := r[id]
		if !own || to >= id { // a message cannot answer a later one
			break
		}
		id = to
	}
	return id
}

// trimmed returns the replies without those of messages that are not held, if there are
// too many.
func (r replies) trimmed(held []entry) replies {
	if len(r) <= maxReplies {
		return r
	}
	kept := make(replies)
	for i := range held {
		for id := held[i].id; ; {
			to, own := r[id]
			if _, done := kept[id]; !own || done {
				break
			}
			kept[id] = to
			id = to
		}
	}
	return kept
}

// noteReply records what an own message replies to.
func (t *timeline) noteReply(m *discord.Message) {
	if m.Reference != nil && !m.Reference.Forward && m.Type == discord.TypeReply {
		t.reply(m.ID, m.Reference.Message)
	}
}

// reply records what an own message replies to, unless its trigger is known.
func (t *timeline) reply(own, to graph.MessageID) {
	if _, known := t.replies[own]; !known {
		t.hang(own, to)
	}
}

// answers records which trigger an own message answers.
func (t *timeline) answers(own, trigger graph.MessageID) {
	if t.replies[own] != trigger {
		t.hang(own, trigger)
	}
}

// hang records what an own message replies to, and moves everything held that depends
// on it to its place.
func (t *timeline) hang(own, to graph.MessageID) {
	if own == to || to == 0 {
		return
	}
	// The messages that reply to own stand behind the current anchor of own.
	anchor := t.replies.anchor(own)
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
