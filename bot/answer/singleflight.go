package answer

import (
	"sync"

	"heddle/store"
)

// singleflight lets those who want the same answer at the same time wait for the one
// who asks for it.
//
// mu guards calls; it is never held while somebody asks or waits.
type singleflight struct {
	mu    sync.Mutex
	calls map[store.Want]*call
}

// call is one asking. When it has ended, done is closed and response may be read: nil
// if there is nothing to give to others.
type call struct {
	done     chan struct{}
	response *store.Response
}

func newSingleflight() *singleflight { return &singleflight{calls: make(map[store.Want]*call)} }

// join returns the call in progress, or begins one, which the caller then leads: it
// must finish it whatever happens.
func (s *singleflight) join(want store.Want) (inflight *call, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if inflight, ok := s.calls[want]; ok {
		return inflight, false
	}
	begun := &call{done: make(chan struct{})}
	s.calls[want] = begun
	return begun, true
}

// finish ends a call with its response, nil if there is none. Finishing it again
// changes nothing.
func (s *singleflight) finish(want store.Want, ended *call, response *store.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[want] != ended {
		return
	}
	delete(s.calls, want)
	ended.response = response
	close(ended.done)
}
