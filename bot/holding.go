package bot

import (
	"sync"

	"heddle/graph"
)

// holding knows in which channels this process changes what answers show.
//
// mu guards held; it is never held over I/O.
type holding struct {
	mu   sync.Mutex
	held map[graph.ChannelID]int // how many answers
}

func newHolding() *holding { return &holding{held: make(map[graph.ChannelID]int)} }

// begin notes that an answer in a channel is held, until the function that it returns
// is called.
func (h *holding) begin(channel graph.ChannelID) (end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[channel]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.held[channel]--; h.held[channel] == 0 {
			delete(h.held, channel)
		}
	}
}

// in says whether an answer in a channel is held.
func (h *holding) in(channel graph.ChannelID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held[channel] > 0
}
