package answer

import (
	"sync"

	"heddle/store"
)

// singleflight lets people who want the same answer at the same time share one request
// for it.
//
// mu guards calls; it is never held during a request or while waiting.
type singleflight struct {
	mu    sync.Mutex
	calls map[store.Want]*call
}

// call is one request. Once done is closed, response may be read; it is nil if there is
// nothing to share.
type call struct {
	done     chan struct{}
	response *store.Response
}

func newSingleflight() *singleflight { return &singleflight{calls: make(map[store.Want]*call)} }

// join returns the call in progress. If there is none, it begins one and reports that
// the caller leads it. The leader must finish it.
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

// finish ends a call with its response, or nil if there is none. Finishing a call twice
// has no effect.
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
