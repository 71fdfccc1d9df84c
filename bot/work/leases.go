package work

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"heddle/internal/wait"
	"heddle/store"
)

// LeaseStore is where leases are kept; store.Store is one.
type LeaseStore interface {
	// Renew fails with store.ErrLost if the lease has ended before.
	Renew(ctx context.Context, lease store.Lease, ttl time.Duration) (store.Lease, error)
	Release(ctx context.Context, lease store.Lease) error
}

// Leases keeps leases of the store while work is done under them.
type Leases struct {
	store LeaseStore
	ttl   time.Duration
}

// NewLeases returns leases that last for ttl without being renewed.
func NewLeases(store LeaseStore, ttl time.Duration) *Leases {
	return &Leases{store, ttl}
}

// TTL is how long a lease lasts without being renewed.
func (l *Leases) TTL() time.Duration { return l.ttl }

// Renew renews a lease, under the context that drop cancels, until the returned stop
// is called. Stop cancels that context and waits for a renewal in progress. If the
// lease is lost, the context ends with ErrLost. The first renewal is due after a third
// of the lease, by when most answers are given.
func (l *Leases) Renew(ctx context.Context, lease store.Lease, drop context.CancelCauseFunc) (stop func()) {
	var renewing sync.WaitGroup
	renewing.Go(func() { l.renew(ctx, lease, drop) })
	return func() {
		drop(nil)
		renewing.Wait()
	}
}

func (l *Leases) renew(ctx context.Context, lease store.Lease, drop context.CancelCauseFunc) {
	third := l.ttl / 3
	for due := time.Now().Add(third); wait.For(ctx, time.Until(due)) == nil; {
		renewed, err := l.store.Renew(ctx, lease, l.ttl)
		switch {
		case err == nil:
			lease = renewed
		case errors.Is(err, store.ErrLost), time.Now().After(lease.Until):
			drop(ErrLost)
			return
		}
		if due = due.Add(third); time.Until(due) < 0 {
			due = time.Now()
		}
	}
}

// Keep renews a lease, beyond the end of ctx, until the returned release is called,
// which gives it up.
func (l *Leases) Keep(ctx context.Context, log *slog.Logger, lease store.Lease) (release func()) {
	ctx = context.WithoutCancel(ctx)
	held, drop := context.WithCancelCause(ctx)
	stop := l.Renew(held, lease, drop)
	return func() {
		stop()
		ctx, cancel := context.WithTimeout(ctx, StoreTimeout)
		defer cancel()
		if err := l.store.Release(ctx, lease); err != nil {
			log.DebugContext(ctx, "a lease could not be released, it ends by itself", "error", err)
		}
	}
}
