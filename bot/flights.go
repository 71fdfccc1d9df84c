package bot

import (
	"sync"

	"heddle/store"
)

// flights lets those who want the same answer at the same time wait for the one
// who asks for it.
//
// mu guards under; it is never held while somebody asks or waits.
type flights struct {
	mu    sync.Mutex
	under map[store.Want]*flight
}

// flight is one asking. done is closed when it has ended; response may be read
// then, and is nil where nothing came of it that can be given to others.
type flight struct {
	done     chan struct{}
	response *store.Response
}

func newFlights() *flights { return &flights{under: make(map[store.Want]*flight)} }

// join gives the asking that is under way for want, or begins one, which the
// caller then leads: it must land it, whatever happens.
func (f *flights) join(want store.Want) (under *flight, leads bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if under, ok := f.under[want]; ok {
		return under, false
	}
	begun := &flight{done: make(chan struct{})}
	f.under[want] = begun
	return begun, true
}

// land ends an asking with what came of it, nil for nothing. Landing it again
// changes nothing.
func (f *flights) land(want store.Want, under *flight, response *store.Response) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.under[want] != under {
		return
	}
	delete(f.under, want)
	under.response = response
	close(under.done)
}
