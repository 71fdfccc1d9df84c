package fetch

import (
	"slices"
	"sync/atomic"

	"heddle/graph"
	"heddle/internal/discord"
)

// timeline holds the messages of a channel by position, and knows which ones were
// deleted and what heddle's own ones answer. The lock of its log guards it.
type timeline struct {
	channel graph.ChannelID
	size    atomic.Int64 // bytes, about; may be read without the lock
	entries []entry      // by position
	gone    gone
	replies replies
	words   index
	// people includes everybody who wrote a message that is held or whom one may name,
	// and perhaps others.
	people   map[graph.UserID]struct{}
	withheld *withheld
}

// search returns the index at which position p is or would be, and reports whether
// it is there.
func (t *timeline) search(p graph.Position) (int, bool) {
	return slices.BinarySearchFunc(t.entries, p, func(e entry, p graph.Position) int {
		return e.position().Compare(p)
	})
}

// find returns the index of the message, or -1 if it is not held.
func (t *timeline) find(id graph.MessageID) int {
	at, held := t.search(graph.Position{Anchor: t.replies.anchor(id), Message: id})
	if !held {
		return -1
	}
	return at
}

// put inserts e, which must not be held yet.
func (t *timeline) put(e entry) {
	e.anchor = t.replies.anchor(e.id)
	t.size.Add(e.size())
	t.words.add(t, &e)
	if n := len(t.entries); n == 0 || t.entries[n-1].position().Compare(e.position()) < 0 {
		t.entries = append(t.entries, e)
		return
	}
	at, _ := t.search(e.position())
	t.entries = slices.Insert(t.entries, at, e)
}

// take removes and returns the entries [from, to). Nothing in the log holds their texts
// afterwards.
func (t *timeline) take(from, to int) []entry {
	taken := slices.Clone(t.entries[from:to])
	for i := range taken {
		t.size.Add(-taken[i].size())
	}
	t.words.remove(t, taken)
	t.entries = slices.Delete(t.entries, from, to)
	return taken
}

// replace replaces the version that is held.
func (t *timeline) replace(at int, e entry) {
	e.anchor = t.entries[at].anchor
	t.size.Add(e.size() - t.entries[at].size())
	t.words.remove(t, t.entries[at:at+1])
	t.words.add(t, &e)
	t.entries[at] = e
}

// amend replaces a message by the version in an event. A link preview that resolves is
// no new version: if an answer was made from the message, its text stays. The result of
// a poll is one.
func (t *timeline) amend(at int, e entry, m *discord.Message) {
	if held := &t.entries[at]; held.bound && e.edited == held.edited && m.Poll == nil {
		e.text, e.content, e.bound = held.text, held.content, true
	}
	t.replace(at, e)
}

// remove removes a message and remembers that it was deleted.
func (t *timeline) remove(id graph.MessageID) {
	t.gone.add(id)
	if at := t.find(id); at >= 0 {
		t.take(at, at+1)
	}
}

// drop removes the entries for which drop returns true, without remembering them.
func (t *timeline) drop(drop func(*entry) bool) {
	t.words.forget(t)
	t.entries = slices.DeleteFunc(t.entries, func(e entry) bool {
		dropped := drop(&e)
		if dropped {
			t.size.Add(-e.size())
		}
		return dropped
	})
}

// forget drops every message. It still remembers what was deleted, and what heddle's
// own messages answer.
func (t *timeline) forget() {
	clear(t.entries)
	t.entries, t.people = nil, nil
	t.words = index{}
	t.size.Store(channelSize)
}

// version distinguishes an edit from other updates.
type version struct {
	edited int64
	text   string // the content's
}

func (t *timeline) version(id graph.MessageID) (version, bool) {
	at := t.find(id)
	if at < 0 {
		return version{}, false
	}
	e := &t.entries[at]
	return version{edited: e.edited, text: e.text[:e.content]}, true
}
