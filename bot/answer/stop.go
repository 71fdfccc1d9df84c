package answer

import (
	"context"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// stopEvery is how often the process that answers asks whether another one heard of a press of ◼.
const stopEvery = time.Second

// Stop stops the answer that replies to a message, of which what was said stays. It reports whether
// an answer is being made. Another process that makes it learns of that from the store (finding 4.2).
func (f *inflight) Stop(ctx context.Context, question graph.MessageID) (bool, error) {
	if here := f.halt(question); here || f.leases.Alone() {
		return here, nil
	}
	return f.leases.claims.Stop(ctx, store.TriggerClaim(question), f.leases.TTL())
}

// followStops stops the answer that is made under a lease once another process heard of a press of
// ◼. The caller must call end, which waits.
func (f *inflight) followStops(ctx context.Context, lease store.Lease, question graph.MessageID) (end func()) {
	if lease == (store.Lease{}) || f.leases.Alone() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() {
		for wait.For(ctx, stopEvery) == nil {
			if stopped, err := f.leases.claims.Stopped(ctx, lease); err == nil && stopped {
				f.halt(question)
				return
			}
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
}
