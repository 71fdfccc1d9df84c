package dispatch

import (
	"time"

	"heddle/graph"
	"heddle/internal/lru"
)

const (
	// mostHeard bounds the channels whose last heard message is remembered.
	mostHeard = 1 << 17
	// reordered bounds how much later than a newer message's event a message's event may
	// come. A message that is older than the newest one heard by no more than this counts
	// as not heard.
	reordered = 10 * time.Second
)

// heard remembers the newest message that was heard in each channel.
type heard struct {
	newest *lru.Cache[graph.ChannelID, graph.MessageID]
}

func newHeard() *heard {
	return &heard{lru.New[graph.ChannelID, graph.MessageID](mostHeard)}
}

// hear notes that a message was heard.
func (h *heard) hear(channel graph.ChannelID, message graph.MessageID) {
	if before, _ := h.newest.Get(channel); before < message {
		h.newest.Add(channel, message)
	}
}

// missed narrows an overdue channel down to what was not heard in it. It reports false
// if everything was heard.
func (h *heard) missed(o overdue) (overdue, bool) {
	newest, known := h.newest.Get(o.channel)
	if known {
		o.from = max(o.from, graph.FirstMessageID(newest.Time().Add(-reordered)))
	}
	return o, o.last > newest
}
