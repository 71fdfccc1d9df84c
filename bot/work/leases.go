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

// Leases renews leases while work is done under them.
type Leases struct {
	claims  *store.Claims // also lists the processes that share the store
	ttl     time.Duration
	several bool        // see NewLeases
	others  atomic.Bool // other processes were seen
}

// NewLeases returns leases that last for ttl without being renewed. several is set if other
// processes are known to share the store.
func NewLeases(claims *store.Claims, ttl time.Duration, several bool) *Leases {
	return &Leases{claims: claims, ttl: ttl, several: several}
}

// TTL returns how long a lease lasts without being renewed.
func (l *Leases) TTL() time.Duration { return l.ttl }

// Hold renews a lease until stop is called. Work under the context working sends
// nothing to Discord once the lease may have ended by this process's own clock, even if
// the process was paused in between. The context then ends with the cause ErrLost. stop
// waits for a renewal in progress, and reports whether the lease lasted until it was called.
// The first renewal is due after a third of the TTL; most answers are complete by then.
func (l *Leases) Hold(ctx context.Context, lease store.Lease) (working context.Context, stop func() (lasted bool)) {
	working, drop := context.WithCancelCause(ctx)
	held := new(atomic.Pointer[store.Lease]) // nil once it is lost
	held.Store(&lease)
	third := l.ttl / 3
	due := time.Now().Add(third)
	end := wait.Later(working, third, func(ctx context.Context) { l.renew(ctx, held, due, drop) })
	return discord.Fenced(working, func() (time.Time, error) { return fence(held, l.margin()) }), func() bool {
		drop(nil)
		end()
		_, lost := fence(held, 0)
		return lost == nil
	}
}

// fence returns the time until which a lease holds, or ErrLost if that is less than margin
// away.
func fence(held *atomic.Pointer[store.Lease], margin time.Duration) (until time.Time, err error) {
	lease := held.Load()
	if lease == nil || reached(lease.Until.Add(-margin), time.Now()) {
		return time.Time{}, ErrLost
	}
	return lease.Until, nil
}

// reached reports whether end has come by either of the machine's clocks. The monotonic
// clock stands still while the machine is suspended, and the wall clock can be set back.
func reached(end, now time.Time) bool {
	return !now.Before(end) || !now.Round(0).Before(end.Round(0))
}

// margin returns how long before the end of a lease work under it stops sending.
func (l *Leases) margin() time.Duration { return l.ttl / 5 }

// renew renews a lease when it is due and each third of its time after that, until ctx
// ends or the lease is lost.
func (l *Leases) renew(ctx context.Context, held *atomic.Pointer[store.Lease], due time.Time, drop context.CancelCauseFunc) {
	third := l.ttl / 3
	for wait.For(ctx, time.Until(due)) == nil {
		lease := *held.Load()
		end := lease.Until.Add(-l.margin())
		renewed, err := l.renewOnce(ctx, lease, end)
		switch {
		case err == nil:
			held.Store(&renewed)
		case errors.Is(err, store.ErrLost):
			held.Store(nil)
			drop(ErrLost)
			return
		case l.Alone(): // no other process can have taken it
			lease.Until = time.Now().Add(l.ttl)
			held.Store(&lease)
		case reached(end, time.Now()):
			drop(ErrLost)
			return
		default: // try again until the lease ends
			if due = time.Now().Add(third / 3); end.Before(due) {
				due = end
			}
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
	return l.claims.Renew(ctx, lease, l.ttl)
}

// Keep renews a lease until release is called, even if ctx ends before. release
// releases the lease.
func (l *Leases) Keep(ctx context.Context, log *slog.Logger, lease store.Lease) (release func()) {
	ctx = context.WithoutCancel(ctx)
	_, stop := l.Hold(ctx, lease)
	return func() {
		stop()
		ctx, cancel := context.WithTimeout(ctx, StoreTimeout)
		defer cancel()
		if err := l.claims.Release(ctx, lease); err != nil {
			log.DebugContext(ctx, "a lease could not be released, it expires by itself", "error", err)
		}
	}
}
