package store

import (
	"maps"
	"sync"
	"time"
)

// recent remembers for a while which things were done, so that they are not done again.
//
// mu guards when; it is never held over I/O.
type recent struct {
	span time.Duration

	mu    sync.Mutex
	when  map[string]time.Time
	swept time.Time // when entries older than span were last removed
}

// maxRecent bounds the entries. When there are as many, all are removed, and the things
// will be done once more.
const maxRecent = 1 << 16

func newRecent(span time.Duration) *recent {
	return &recent{span: span, when: make(map[string]time.Time)}
}

func (r *recent) has(what string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	when, ok := r.when[what]
	return ok && now.Sub(when) < r.span
}

func (r *recent) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.when)
}

func (r *recent) add(what string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.swept) >= r.span {
		maps.DeleteFunc(r.when, func(_ string, when time.Time) bool { return now.Sub(when) >= r.span })
		r.swept = now
	}
	if len(r.when) >= maxRecent {
		clear(r.when)
	}
	r.when[what] = now
}
