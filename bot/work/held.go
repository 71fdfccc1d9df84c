package work

import (
	"sync"
	"time"

	"heddle/store"
)

// held is a lease that is renewed by one goroutine and asked for by others.
//
// mu guards what follows it; it is never held over I/O.
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

// fence returns when the lease may end, or ErrLost if it ends within margin. The clock
// is the monotonic one, which goes on while the process is paused.
func (h *held) fence(margin time.Duration) (until time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost || !time.Now().Before(h.now.Until.Add(-margin)) {
		return time.Time{}, ErrLost
	}
	return h.now.Until, nil
}
