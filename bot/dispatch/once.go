package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"heddle/bot/answer"
	"heddle/bot/work"
	"heddle/store"
)

// mostRecent is how many claims a process remembers without the store's help.
const mostRecent = 4096

// Claims makes sure that something is done once, across processes. A claim is a lease;
// a done-mark outlives it.
type Claims interface {
	// Claim fails with store.ErrHeld or store.ErrDone if somebody else does or did it.
	Claim(ctx context.Context, key store.ClaimKey, ttl time.Duration) (store.Lease, error)
	Release(ctx context.Context, lease store.Lease) error
	Done(ctx context.Context, lease store.Lease, outcome string) error
}

// once does what is claimed once.
type once struct {
	claims Claims
	leases *work.Leases
	recent *recent
}

func newOnce(claims Claims, leases *work.Leases) *once {
	return &once{claims, leases, newRecent(mostRecent)}
}

// do claims a task and does it while the claim holds. The outcome becomes the
// done-mark; an error leaves the task free for another try. It reports false if
// somebody else has done the task, and fails with store.ErrHeld if somebody else does.
//
// If the store is away the task is done nevertheless: a process alone still does each
// task once, by its memory of recent ones. But if another process was seen to do it,
// do waits for that and fails with store.ErrUnavailable.
func (o *once) do(ctx context.Context, t *task) (mine bool, err error) {
	if !o.recent.add(t.key) {
		return false, nil
	}
	lease, err := o.claims.Claim(ctx, t.key, o.leases.TTL())
	switch {
	case errors.Is(err, store.ErrUnavailable) && !t.elsewhere:
		if _, err = t.attempt(ctx); err != nil {
			o.recent.remove(t.key)
		}
		return true, err
	case errors.Is(err, store.ErrDone):
		return false, nil
	case err != nil:
		o.recent.remove(t.key)
		return false, err
	}
	outcome, err := o.under(ctx, lease, t)

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), work.StoreTimeout)
	defer cancel()
	if err != nil {
		o.recent.remove(t.key)
		return true, errors.Join(err, o.claims.Release(ctx, lease))
	}
	if err := o.claims.Done(ctx, lease, string(outcome)); err != nil {
		return true, fmt.Errorf("mark %s as done: %w", t.key, err)
	}
	return true, nil
}

// under does a task under a lease.
func (o *once) under(ctx context.Context, lease store.Lease, t *task) (answer.Outcome, error) {
	working, drop := context.WithCancelCause(ctx)
	stop := o.leases.Renew(working, lease, drop)
	outcome, err := t.attempt(working)
	stop()
	return outcome, err
}

// recent remembers the claims that this process took last, so that an event that is
// delivered twice costs no look-up and needs no store. It may be used by any goroutine.
type recent struct {
	mu    sync.Mutex
	most  int
	seen  map[store.ClaimKey]struct{}
	order []store.ClaimKey
}

func newRecent(most int) *recent {
	return &recent{most: most, seen: make(map[store.ClaimKey]struct{}, most)}
}

// add reports whether the key is new.
func (r *recent) add(key store.ClaimKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.seen[key]; known {
		return false
	}
	if len(r.order) >= r.most {
		delete(r.seen, r.order[0])
		r.order = r.order[1:]
	}
	r.seen[key] = struct{}{}
	r.order = append(r.order, key)
	return true
}

// remove makes a key new again.
func (r *recent) remove(key store.ClaimKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen, key)
	// Otherwise the key, once it is added again, would be forgotten by its old age.
	if at := slices.Index(r.order, key); at >= 0 {
		r.order = slices.Delete(r.order, at, at+1)
	}
}
