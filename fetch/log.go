package fetch

import (
	"sync"

	"heddle/graph"
)

// channelLog is what is known of one channel. It stays true over events that come
// twice, late or in any order: of each message the latest version is held, what
// was deleted once never comes back, and an own answer stands behind its trigger
// as soon as that is known.
type channelLog struct {
	id graph.ChannelID

	mu       sync.Mutex
	messages timeline
	covered  coverage

	// For logs alone, guarded by its lock.
	counted int64
	older   *channelLog
	newer   *channelLog
}

func newChannelLog(id graph.ChannelID) *channelLog {
	c := &channelLog{id: id}
	c.messages.channel, c.messages.replies = id, make(map[graph.MessageID]graph.MessageID)
	c.messages.size.Store(channelSize)
	return c
}

// size is about how many bytes the log takes. It may be called without mu.
func (c *channelLog) size() int64 { return c.messages.size.Load() }

// forget drops every message and span; see forgetLocked.
func (c *channelLog) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetLocked()
}

// forgetLocked drops every message and span, as after a gap in the events. What
// was deleted and what heddle's own messages answer stays known.
func (c *channelLog) forgetLocked() {
	c.messages.forget()
	c.covered.forget()
}
