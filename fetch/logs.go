package fetch

import (
	"maps"
	"slices"
	"sync"

	"heddle/graph"
)

// logs holds the channel logs. While they take more memory than allowed, it drops those
// that were not used for the longest time.
type logs struct {
	bytes    int64 // the bound
	withheld *withheld

	mu       sync.Mutex
	channels map[graph.ChannelID]*channelLog
	held     int64       // the sum of the sizes of the logs, in bytes
	idle     *channelLog // the log used longest ago
	recent   *channelLog // the log used last
}

// stats returns the number of logs and roughly how many bytes they take.
func (l *logs) stats() (channels int, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.channels), l.held
}

// known returns the log of a channel, or nil. It does not count as use.
func (l *logs) known(id graph.ChannelID) *channelLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.channels[id]
}

// all returns every log.
func (l *logs) all() []*channelLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.channels))
}

// remove removes and returns the log of a channel, or nil if there is none.
func (l *logs) remove(id graph.ChannelID) *channelLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[id]
	if c != nil {
		l.removeLocked(c)
	}
	return c
}

// use returns the log of a channel, creating it if necessary, and marks it as the one
// used last.
func (l *logs) use(id graph.ChannelID) *channelLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.channels[id]
	if c == nil {
		c = newChannelLog(id, l.withheld)
		l.channels[id] = c
	} else {
		l.unlinkLocked(c)
	}
	c.older, c.newer = l.recent, nil
	if l.recent != nil {
		l.recent.newer = c
	} else {
		l.idle = c
	}
	l.recent = c
	return c
}

// change applies an event to a channel's log.
func (l *logs) change(id graph.ChannelID, apply func(*channelLog)) {
	if id == 0 {
		return
	}
	c := l.use(id)
	apply(c)
	l.count(c)
}

// count updates the sum after c has changed. While it exceeds the bound, count drops
// the logs that were not used for the longest time. A mention in progress keeps the
// logs that it reads.
func (l *logs) count(c *channelLog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.channels[c.id] != c {
		return
	}
	size := c.size()
	l.held += size - c.counted
	c.counted = size
	for l.held > l.bytes && l.idle != nil && l.idle != l.recent {
		l.removeLocked(l.idle)
	}
}

func (l *logs) removeLocked(c *channelLog) {
	l.unlinkLocked(c)
	delete(l.channels, c.id)
	l.held -= c.counted
	c.counted = 0
}

func (l *logs) unlinkLocked(c *channelLog) {
	if c.older != nil {
		c.older.newer = c.newer
	} else {
		l.idle = c.newer
	}
	if c.newer != nil {
		c.newer.older = c.older
	} else {
		l.recent = c.older
	}
	c.older, c.newer = nil, nil
}
