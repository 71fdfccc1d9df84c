package fetch

import (
	"slices"
	"sync"
	"sync/atomic"

	"heddle/graph"
)

// maxChain bounds how many parts an own answer's chain of replies is followed back.
const maxChain = 64

// channelLog is what is known of one channel. It stays true over events that come
// twice, late or in any order: of each message the latest version is held, what
// was deleted once never comes back, and an own answer stands behind its trigger
// as soon as that is known.
type channelLog struct {
	id   graph.ChannelID
	size atomic.Int64 // bytes, about; changed under mu

	mu      sync.Mutex
	entries []entry // by position
	spans   spans
	live    bool   // the last span goes on with every event
	epoch   uint64 // counts the times that everything was forgotten
	clock   uint64 // counts reads, for the spans' use
	gone    gone
	// replies maps heddle's own messages to what they reply to, parts to parts, held or not.
	replies map[graph.MessageID]graph.MessageID

	// For History alone, guarded by its lock.
	counted int64
	older   *channelLog
	newer   *channelLog
}

func newChannelLog(id graph.ChannelID) *channelLog {
	c := &channelLog{id: id, replies: make(map[graph.MessageID]graph.MessageID)}
	c.size.Store(channelSize)
	return c
}

// anchorLocked follows what an own message replies to back to what is not known
// to be heddle's own; any other message is its own anchor.
func (c *channelLog) anchorLocked(id graph.MessageID) graph.MessageID {
	for range maxChain {
		to, own := c.replies[id]
		if !own || to >= id { // nothing answers what came later
			break
		}
		id = to
	}
	return id
}

// searchLocked returns the index at which position p is or would be, and reports whether
// it is there.
func (c *channelLog) searchLocked(p graph.Position) (int, bool) {
	return slices.BinarySearchFunc(c.entries, p, func(e entry, p graph.Position) int {
		return e.position().Compare(p)
	})
}

// findLocked returns the index of the message, or -1 if it is not held.
func (c *channelLog) findLocked(id graph.MessageID) int {
	at, held := c.searchLocked(graph.Position{Anchor: c.anchorLocked(id), Message: id})
	if !held {
		return -1
	}
	return at
}

// putLocked holds e at its place. It may not be held yet.
func (c *channelLog) putLocked(e entry) {
	e.anchor = c.anchorLocked(e.id)
	c.size.Add(e.size())
	if n := len(c.entries); n == 0 || c.entries[n-1].position().Compare(e.position()) < 0 {
		c.entries = append(c.entries, e)
		return
	}
	at, _ := c.searchLocked(e.position())
	c.entries = slices.Insert(c.entries, at, e)
}

// takeLocked removes and returns the entries [from, to). Their texts are nowhere
// in the log afterwards.
func (c *channelLog) takeLocked(from, to int) []entry {
	taken := slices.Clone(c.entries[from:to])
	for i := range taken {
		c.size.Add(-taken[i].size())
	}
	c.entries = slices.Delete(c.entries, from, to)
	return taken
}

// replyLocked learns what an own message replies to. Everything held that hangs
// on it moves to its place. certain overrides what replies said.
func (c *channelLog) replyLocked(own, to graph.MessageID, certain bool) {
	before, known := c.replies[own]
	if own == to || to == 0 || known && (!certain || before == to) {
		return
	}
	// What hangs on own by replies stands behind own's present anchor.
	anchor := c.anchorLocked(own)
	from, _ := c.searchLocked(graph.Position{Anchor: anchor})
	until := from
	for until < len(c.entries) && c.entries[until].anchor == anchor {
		until++
	}
	moved := c.takeLocked(from, until)
	c.replies[own] = to
	for _, e := range moved {
		c.putLocked(e)
	}
}

// forgetLocked drops every message and span, as after a gap in the events. What
// was deleted and what heddle's own messages answer stays known.
func (c *channelLog) forgetLocked() {
	clear(c.entries)
	c.entries, c.spans, c.live = nil, nil, false
	c.epoch++
	c.size.Store(channelSize)
}

// maxGone is how many deleted ids a channel remembers.
const maxGone = 1024

// gone remembers the ids of deleted messages, the latest ones.
type gone struct {
	ids   map[graph.MessageID]struct{}
	order []graph.MessageID // a ring, once it is full
	next  int
}

func (g *gone) has(id graph.MessageID) bool {
	_, is := g.ids[id]
	return is
}

func (g *gone) add(id graph.MessageID) {
	if g.has(id) {
		return
	}
	if g.ids == nil {
		g.ids = make(map[graph.MessageID]struct{})
	}
	g.ids[id] = struct{}{}
	if len(g.order) < maxGone {
		g.order = append(g.order, id)
		return
	}
	delete(g.ids, g.order[g.next])
	g.order[g.next] = id
	g.next = (g.next + 1) % maxGone
}
