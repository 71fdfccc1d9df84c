package work

import (
	"sync"
	"time"

	"heddle/store"
)

// held is a lease that one goroutine renews and others ask about.
//
// mu guards the fields below it; it is never held over I/O.
type held struct {
	mu   sync.Mutex
	now  store.Lease
	lost bool
}

func newHeld(lease store.Lease) *held { return &held{now: lease} }

func (h *held) lease() store.Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *held) set(lease store.Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = lease
}

func (h *held) lose() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = true
}

// fence returns the time until which the lease holds, or ErrLost if that is less than
// margin away. It uses the monotonic clock, which advances while the process is paused.
func (h *held) fence(margin time.Duration) (until time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost || !time.Now().Before(h.now.Until.Add(-margin)) {
		return time.Time{}, ErrLost
	}
	return h.now.Until, nil
}
