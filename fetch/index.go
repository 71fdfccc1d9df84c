package fetch

import (
	"heddle/graph"
	"heddle/graph/recall"
)

const (
	// unindexed is how many messages a channel may grow by without a question before its
	// index is given up.
	unindexed = 2000
	// reindexed is how many messages may leave at once before an index is made anew.
	reindexed = 32
	// mostBehind bounds an exchange with what stands behind it.
	mostBehind = 64
)

// index is which words a timeline's messages hold. It is made for the first question and
// kept current while there are questions. The zero value holds nothing.
type index struct {
	words   *recall.Index // nil: not made
	counted int64         // bytes of the timeline's size
}

// add takes in what the timeline holds from now on.
func (x *index) add(t *timeline, e *entry) {
	switch {
	case x.words == nil || e.unseen():
	case x.words.Unused() >= unindexed:
		x.forget(t)
	default:
		m := e.message(t.channel)
		x.words.Add(&m)
		x.count(t)
	}
}

// remove takes out what the timeline no longer holds.
func (x *index) remove(t *timeline, removed []entry) {
	if x.words == nil {
		return
	}
	if len(removed) > reindexed {
		x.forget(t)
		return
	}
	for i := range removed {
		if e := &removed[i]; !e.unseen() {
			m := e.message(t.channel)
			x.words.Remove(&m)
		}
	}
}

// forget drops the index. The next question has it made anew.
func (x *index) forget(t *timeline) {
	t.size.Add(-x.counted)
	*x = index{}
}

// count keeps the timeline's size.
func (x *index) count(t *timeline) {
	size := x.words.Size()
	t.size.Add(size - x.counted)
	x.counted = size
}

// build makes the index if there is none.
func (x *index) build(t *timeline) {
	if x.words != nil {
		return
	}
	x.words = recall.NewIndex()
	for i := range t.entries {
		if e := &t.entries[i]; !e.unseen() {
			m := e.message(t.channel)
			x.words.Add(&m)
		}
	}
	x.count(t)
}

// sharing implements History.Sharing.
func (t *timeline) sharing(words *recall.Words, before graph.MessageID, least float64, further []graph.Message) []recall.Scored {
	t.words.build(t)
	for i := range further {
		if m := &further[i]; t.find(m.ID) < 0 {
			t.words.words.Add(m)
			defer t.words.words.Remove(m)
		}
	}
	return t.words.words.Find(words, before, least)
}

// Sharing returns the exchanges of a channel before a message that share words with a
// question, of at least so many bits, best first, as far as they are held. Further
// messages count as if they were held. It does not read from Discord, and there may be
// holes in what is held.
func (h *History) Sharing(channel graph.ChannelID, before graph.MessageID, words *recall.Words, least float64, further []graph.Message) []recall.Scored {
	c := h.logs.known(channel)
	if c == nil {
		return nil
	}
	defer h.logs.count(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.messages.sharing(words, before, least, further)
}

// Exchange returns what is held of the exchange that begins with a message, folded, and
// the messages of heddle's own that stand directly behind it, oldest first.
func (h *History) Exchange(channel graph.ChannelID, anchor graph.MessageID) []graph.Message {
	c := h.logs.known(channel)
	if c == nil {
		return nil
	}
	c.mu.Lock()
	messages := c.messages.exchange(anchor)
	c.mu.Unlock()
	h.logs.unquoted(messages) // it locks logs itself
	return messages
}

// exchange implements History.Exchange.
func (t *timeline) exchange(anchor graph.MessageID) []graph.Message {
	var messages []graph.Message
	at, _ := t.search(graph.Position{Anchor: anchor})
	for at < len(t.entries) && len(messages) < mostBehind && (t.entries[at].anchor == anchor || t.entries[at].own() || t.entries[at].system) {
		switch {
		case t.entries[at].system, t.isWithheld(at):
			at++
		case t.entries[at].own():
			from, to := t.answer(at)
			messages = append(messages, t.fold(from, to)...)
			at = to
		default:
			messages = append(messages, t.message(at))
			at++
		}
	}
	return messages
}
