package fetch

import (
	"context"
	"encoding/json"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// rest sends and counts a history's reads, and ends them when it is closed.
type rest struct {
	caller   Caller
	timeout  time.Duration // of one read
	requests atomic.Int64
	reads    singleflight.Group
	stop     chan struct{}

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup // reads in progress; added to under mu unless closed
}

// get makes one read.
func (r *rest) get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	r.requests.Add(1)
	return r.caller.Get(ctx, path, query)
}

// begin returns the context of a read that several callers may wait for.
func (r *rest) begin(ctx context.Context) (context.Context, func(), error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, nil, ErrClosed
	}
	r.running.Add(1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.timeout)
	go func() {
		select {
		case <-r.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); r.running.Done() }, nil
}

// close ends the reads in progress and waits for them.
func (r *rest) close() {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.stop)
	}
	r.mu.Unlock()
	r.running.Wait()
}
