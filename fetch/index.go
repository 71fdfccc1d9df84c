package fetch

import (
	"heddle/graph"
	"heddle/graph/recall"
)

const (
	// unindexed is the number of messages by which a channel may grow without a
	// question before its index is dropped.
	unindexed = 2000
	// reindexed is the number of messages that may leave at once without the index
	// being rebuilt.
	reindexed = 32
)

// index maps words to the messages of a timeline. It is built for the first question
// and kept up to date while questions are asked. The zero value is empty.
type index struct {
	words   *recall.Index // nil if it was not built
	counted int64         // its bytes that are included in the timeline's size
}

// add adds a message that the timeline now holds.
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

// remove removes messages that the timeline no longer holds.
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

// forget drops the index. The next question builds it again.
func (x *index) forget(t *timeline) {
	t.size.Add(-x.counted)
	*x = index{}
}

// count updates the timeline's size.
func (x *index) count(t *timeline) {
	size := x.words.Size()
	t.size.Add(size - x.counted)
	x.counted = size
}

// build builds the index unless there is one.
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
