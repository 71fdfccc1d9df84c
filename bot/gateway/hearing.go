package gateway

import (
	"sync"
	"time"
)

// hearing is what is known of a shard's silences. A connection may answer heartbeats and send no
// events (finding 3.20, hermes-agent#109521).
//
// mu guards the fields below it.
type hearing struct {
	mu      sync.Mutex
	last    time.Time     // when an event came
	longest time.Duration // the longest time between two events of one connection
	asked   time.Time     // when the shard was suspicious
}

// begin notes that events begin to flow.
func (h *hearing) begin(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = now
}

// hears notes an event.
func (h *hearing) hears(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.longest = max(h.longest, now.Sub(h.last))
	h.last = now
}

// isSuspicious reports whether the shard has been silent for longer than ever before, and for
// longer than least. It does so at most once in least.
func (h *hearing) isSuspicious(now time.Time, least time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if silence := now.Sub(h.last); silence <= max(h.longest, least) || now.Sub(h.asked) < least {
		return false
	}
	h.asked = now
	return true
}

// Silent returns the connected shards from which nothing has come for longer than ever before,
// and for longer than least, each at most once in least.
func (s *Shards) Silent(now time.Time, least time.Duration) (silent []Shard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if r.gateway.up.Load() && r.gateway.hearing.isSuspicious(now, least) {
			silent = append(silent, r.shard)
		}
	}
	return silent
}

// Renew ends the connection and the session of a shard, which then begins another one.
func (s *Shards) Renew(shard Shard) {
	s.mu.Lock()
	r := s.runs[shard.ID]
	s.mu.Unlock()
	if r == nil {
		return
	}
	if c := r.gateway.current.Load(); c != nil {
		c.deaf.Store(true)
		c.leave()
	}
}
