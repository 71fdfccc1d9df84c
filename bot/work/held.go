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
// margin away.
func (h *held) fence(margin time.Duration) (until time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost || reached(h.now.Until.Add(-margin), time.Now()) {
		return time.Time{}, ErrLost
	}
	return h.now.Until, nil
}

// reached reports whether end has come by either of the machine's clocks. The monotonic
// clock stands still while the machine is suspended, and the wall clock can be set back.
func reached(end, now time.Time) bool {
	return !now.Before(end) || !now.Round(0).Before(end.Round(0))
}
