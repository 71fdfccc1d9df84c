package work

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// LeaseStore stores leases, and lists the processes that share it; store.Claims is one.
type LeaseStore interface {
	// Renew prolongs a lease to ttl from now. It fails with store.ErrLost if the lease
	// has ended.
	Renew(ctx context.Context, lease store.Lease, ttl time.Duration) (store.Lease, error)
	Release(ctx context.Context, lease store.Lease) error
	// Join registers a process for ttl and returns the number of other processes.
	Join(ctx context.Context, process string, ttl time.Duration) (others int, err error)
	// Leave removes a process that has joined.
	Leave(ctx context.Context, process string) error
}

// Leases renews leases while work is done under them.
type Leases struct {
	store   LeaseStore
	ttl     time.Duration
	several bool        // other processes are known to share the store
	others  atomic.Bool // other processes were seen
}

// NewLeases returns leases that last for ttl without being renewed.
func NewLeases(store LeaseStore, ttl time.Duration) *Leases {
	return &Leases{store: store, ttl: ttl}
}

// TTL returns how long a lease lasts without being renewed.
func (l *Leases) TTL() time.Duration { return l.ttl }

// Renew renews a lease until stop is called. ctx must be a context that drop cancels.
// stop cancels it and waits for a renewal in progress. If the lease is lost, Renew
// cancels it with the cause ErrLost. The first renewal is due after a third of the TTL;
// most answers are complete by then.
func (l *Leases) Renew(ctx context.Context, lease store.Lease, drop context.CancelCauseFunc) (stop func()) {
	return l.renewing(ctx, newHeld(lease), drop)
}

// Hold renews a lease until stop is called. Work under the context working sends
// nothing to Discord once the lease may have ended by this process's own clock, even if
// the process was paused in between. The context then ends with the cause ErrLost. stop
// reports whether the lease lasted until it was called.
func (l *Leases) Hold(ctx context.Context, lease store.Lease) (working context.Context, stop func() (lasted bool)) {
	working, drop := context.WithCancelCause(ctx)
	h := newHeld(lease)
	end := l.renewing(working, h, drop)
	return discord.Fenced(working, func() (time.Time, error) { return h.fence(l.margin()) }), func() bool {
		end()
		_, lost := h.fence(0)
		return lost == nil
	}
}

func (l *Leases) renewing(ctx context.Context, h *held, drop context.CancelCauseFunc) (stop func()) {
	third := l.ttl / 3
	due := time.Now().Add(third)
	end := wait.Later(ctx, third, func(ctx context.Context) { l.renew(ctx, h, due, drop) })
	return func() {
		drop(nil)
		end()
	}
}

// margin returns how long before the end of a lease work under it stops sending.
func (l *Leases) margin() time.Duration { return l.ttl / 5 }

// renew renews a lease when it is due and each third of its time after that, until ctx
// ends or the lease is lost.
func (l *Leases) renew(ctx context.Context, h *held, due time.Time, drop context.CancelCauseFunc) {
	third := l.ttl / 3
	for wait.For(ctx, time.Until(due)) == nil {
		lease := h.lease()
		end := lease.Until.Add(-l.margin())
		renewed, err := l.renewOnce(ctx, lease, end)
		switch {
		case err == nil:
			h.set(renewed)
		case errors.Is(err, store.ErrLost):
			h.lose()
			drop(ErrLost)
			return
		case l.Alone(): // no other process can have taken it
			lease.Until = time.Now().Add(l.ttl)
			h.set(lease)
		case reached(end, time.Now()):
			drop(ErrLost)
			return
		default: // try again until the lease ends
			due = earlier(time.Now().Add(third/3), end)
			continue
		}
		if due = due.Add(third); time.Until(due) < 0 {
			due = time.Now()
		}
	}
}

// renewOnce renews a lease. It gives up when the lease ends.
func (l *Leases) renewOnce(ctx context.Context, lease store.Lease, end time.Time) (store.Lease, error) {
	if !l.Alone() {
		bounded, cancel := context.WithDeadline(ctx, end)
		defer cancel()
		ctx = bounded
	}
	return l.store.Renew(ctx, lease, l.ttl)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Keep renews a lease until release is called, even if ctx ends before. release
// releases the lease.
func (l *Leases) Keep(ctx context.Context, log *slog.Logger, lease store.Lease) (release func()) {
	ctx = context.WithoutCancel(ctx)
	held, drop := context.WithCancelCause(ctx)
	stop := l.Renew(held, lease, drop)
	return func() {
		stop()
		ctx, cancel := context.WithTimeout(ctx, StoreTimeout)
		defer cancel()
		if err := l.store.Release(ctx, lease); err != nil {
			log.DebugContext(ctx, "a lease could not be released, it expires by itself", "error", err)
		}
	}
}
