package dispatch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

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

// knows reports whether this process has a task in hand, or has done it.
func (o *once) knows(key store.ClaimKey) bool { return o.recent.has(key) }

// errKnown means that this process has the task in hand already, or has done it.
var errKnown = errors.New("this process knows the task")

// do claims a task and does it while the claim holds. The outcome becomes the
// done-mark; an error leaves the task free for another try. It reports false if
// somebody else has done the task, and fails with store.ErrHeld if somebody else does.
//
// If the store is away, only a process that is alone does the task: it still does each
// once, by its memory of recent ones. Any other fails with store.ErrUnavailable.
func (o *once) do(ctx context.Context, t *task) (mine bool, err error) {
	if !t.inHand && !o.recent.add(t.key) {
		return false, errKnown
	}
	t.inHand = true
	t.claimed = time.Now()
	lease, err := o.claims.Claim(ctx, t.key, o.leases.TTL())
	switch {
	case errors.Is(err, store.ErrUnavailable) && !t.elsewhere && o.leases.Alone():
		_, err = t.attempt(ctx)
		return true, err
	case errors.Is(err, store.ErrDone):
		return false, nil
	case err != nil:
		return false, err
	}
	working, stop := o.leases.Hold(ctx, lease)
	outcome, err := t.attempt(working)
	if !stop() {
		t.contested = true
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), work.StoreTimeout)
	defer cancel()
	if err != nil {
		return true, errors.Join(err, o.claims.Release(ctx, lease))
	}
	if err := o.claims.Done(ctx, lease, string(outcome)); err != nil {
		return true, &unmarkedError{err, func(ctx context.Context) error { return o.claims.Done(ctx, lease, string(outcome)) }}
	}
	return true, nil
}

// unmarkedError means that a task is done, but not marked as such.
type unmarkedError struct {
	error

	mark func(context.Context) error // marks it
}

func (e *unmarkedError) Unwrap() error { return e.error }

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

// has reports whether a key is known.
func (r *recent) has(key store.ClaimKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.seen[key]
	return known
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
