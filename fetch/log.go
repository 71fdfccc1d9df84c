package fetch

import (
	"sync"

	"heddle/graph"
)

// channelLog holds what is known of one channel. Events may arrive twice, late or in
// any order: the log holds the latest version of each message, never brings back a
// deleted one, and places an own answer behind its trigger as soon as that is known.
type channelLog struct {
	id graph.ChannelID

	mu       sync.Mutex
	messages timeline
	covered  coverage

	// The logs that own this log use these fields, under their lock.
	counted int64
	older   *channelLog
	newer   *channelLog
}

func newChannelLog(id graph.ChannelID) *channelLog {
	c := &channelLog{id: id}
	c.messages.channel, c.messages.replies = id, make(replies)
	c.messages.size.Store(channelSize)
	return c
}

// size returns roughly how many bytes the log takes. It may be called without mu.
func (c *channelLog) size() int64 { return c.messages.size.Load() }

// forget drops every message and span; see forgetLocked.
func (c *channelLog) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetLocked()
}

// forgetLocked drops every message and span, as after a gap in the events. It still
// remembers what was deleted, and what heddle's own messages answer.
func (c *channelLog) forgetLocked() {
	c.messages.forget()
	c.covered.forget()
}
