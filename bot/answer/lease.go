package answer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
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

// Hold renews a lease until stop is called. Nothing is sent to Discord under the context
// working once the lease may have ended by this process's own clock, even if the process was
// paused in between. The context then ends with ErrLost. stop waits for a renewal in progress
// and reports whether the lease lasted until the call. The first renewal is due after a third
// of the TTL, when most answers are complete.
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
		ctx, cancel := context.WithTimeout(ctx, store.Timeout)
		defer cancel()
		if err := l.claims.Release(ctx, lease); err != nil {
			log.DebugContext(ctx, "a lease could not be released, it expires by itself", "error", err)
		}
	}
}

// Alone reports whether no other process shared the store when it was last reached.
// While the store is away, a process that is alone keeps answering. A process that is
// not alone answers only questions for which it holds a lease.
func (l *Leases) Alone() bool { return !l.several && !l.others.Load() }

// apart is how many times in a row the registry must list no other process before this
// process counts as alone. Once is not enough: if the registry lost its data, other
// processes join it again only within a third of a lease.
const apart = 4

// nameOfProcess returns a unique name of this process. It contains the host and the
// process id, so that an operator can find the process.
func nameOfProcess() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text())
}

// Follow joins the processes that share the store and keeps Alone up to date until ctx ends.
func (l *Leases) Follow(ctx context.Context, log *slog.Logger) {
	process, seen := nameOfProcess(), 0 // seen counts down to 0, at which this process is alone
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
		defer cancel()
		if err := l.claims.Leave(ending, process); err != nil {
			log.DebugContext(ending, "this process could not leave the list of processes, its entry expires by itself", "error", err)
		}
	}()
	for {
		if others, err := l.claims.Join(ctx, process, l.ttl); err == nil { // the store logs its outages
			if seen = max(0, seen-1); others > 0 {
				seen = apart
			}
			l.note(ctx, log, seen > 0)
		}
		if wait.For(ctx, l.ttl/3) != nil {
			return
		}
	}
}

// note records whether other processes share the store, and logs a change.
func (l *Leases) note(ctx context.Context, log *slog.Logger, others bool) {
	switch {
	case l.others.Swap(others) == others:
	case others:
		log.InfoContext(ctx, "other processes share the store; during an outage of it this process answers only what it has already claimed")
	default:
		log.InfoContext(ctx, "no other process shares the store any more; during an outage of it this process keeps answering")
	}
}
