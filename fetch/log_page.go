package fetch

import (
	"cmp"
	"slices"

	"heddle/graph"
	"heddle/internal/discord"
)

// pageKind is a kind of page of a channel's history.
type pageKind uint8

const (
	pageBefore pageKind = iota // the messages right before one
	pageAround                 // a message with those around it
	pageNewest                 // the newest messages
)

// pageSize is the greatest number of messages that Discord returns in one read.
const pageSize = 100

// learned adds a page that was requested in an epoch. It returns false if the epoch is
// over: after a gap in the events it is unknown what has changed since.
func (c *channelLog) learned(page discord.Page, kind pageKind, at graph.MessageID, epoch uint64, self graph.UserID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if epoch != c.covered.epoch {
		return false
	}
	if len(page.Messages) == 0 {
		return true
	}
	s := span{lo: page.Messages[0].ID, hi: page.Messages[0].ID}
	ids := make([]graph.MessageID, len(page.Messages))
	for i := range page.Messages {
		ids[i] = page.Messages[i].ID
		s.lo, s.hi = min(s.lo, ids[i]), max(s.hi, ids[i])
	}
	slices.Sort(ids)
	if kind == pageBefore {
		s.hi = max(s.hi, at-1)
	}
	s.start = kind != pageAround && page.Count < pageSize
	// Oldest first, so that each part of an answer finds the part before it.
	messages := slices.Clone(page.Messages)
	slices.SortFunc(messages, func(a, b discord.Message) int { return cmp.Compare(a.ID, b.ID) })
	for i := range messages {
		c.note(&messages[i], self, byPage)
	}
	c.messages.missed(s, ids)
	c.covered.add(s)
	return true
}

// missed drops the messages in a span that are not in the page that covers it, as their
// deletion was missed.
func (t *timeline) missed(s span, ids []graph.MessageID) {
	var missed []graph.MessageID
	from, _ := t.search(graph.Position{Anchor: s.lo})
	for _, e := range t.entries[from:] {
		if e.anchor > s.hi {
			break
		}
		if _, given := slices.BinarySearch(ids, e.id); !given && s.holds(e.id) {
			missed = append(missed, e.id)
		}
	}
	for _, id := range missed {
		t.remove(id)
	}
}

// epochNow returns the current epoch, for a later call of learned.
func (c *channelLog) epochNow() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.covered.epoch
}

// startsAt records that there is nothing older than id, as a page that was requested in
// an epoch showed, so that a new thread need not be read again. It returns false if an
// older message is held, which the page should have contained.
func (c *channelLog) startsAt(id graph.MessageID, epoch uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.messages.entries) > 0 && c.messages.entries[0].id < id {
		return false
	}
	if epoch == c.covered.epoch && id > 1 {
		c.covered.add(span{lo: 1, hi: id - 1, start: true})
	}
	return true
}
