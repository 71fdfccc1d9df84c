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
	contents // what mu guards

	// The logs that own this log use these fields, under their lock.
	counted int64
	older   *channelLog
	newer   *channelLog
}

func newChannelLog(id graph.ChannelID, withheld *withheld) *channelLog {
	c := &channelLog{id: id}
	c.messages.channel, c.messages.withheld, c.messages.replies = id, withheld, make(replies)
	c.messages.size.Store(channelSize)
	return c
}

// size returns roughly how many bytes the log takes. It may be called without mu.
func (c *channelLog) size() int64 { return c.messages.size.Load() }

// forget drops every message and span; see contents.forget.
func (c *channelLog) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.contents.forget()
}

// trim bounds the log after pages were added to it.
func (c *channelLog) trim(limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.contents.trim(limit)
}
