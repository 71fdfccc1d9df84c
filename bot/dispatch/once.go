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

// mostRecent is the number of claims that a process remembers by itself.
const mostRecent = 4096

// Claims lets one of several processes do something. A claim is a lease; a done-mark
// outlasts it.
type Claims interface {
	// Claim fails with store.ErrHeld if somebody else holds the claim, and with
	// store.ErrDone if it was done.
	Claim(ctx context.Context, key store.ClaimKey, ttl time.Duration) (store.Lease, error)
	// Reclaim is Claim for what may be done already.
	Reclaim(ctx context.Context, key store.ClaimKey, ttl time.Duration) (store.Lease, error)
	Release(ctx context.Context, lease store.Lease) error
	// Finish marks what was claimed as done, and reports whether the lease still held.
	Finish(ctx context.Context, lease store.Lease, outcome string) (held bool, err error)
}

// once does each task once.
type once struct {
	claims Claims
	leases *work.Leases
	recent *recent
}

func newOnce(claims Claims, leases *work.Leases) *once {
	return &once{claims, leases, newRecent(mostRecent)}
}

// knows reports whether this process is doing a task, or has done it.
func (o *once) knows(key store.ClaimKey) bool { return o.recent.has(key) }

// errKnown means that this process is already doing the task, or has done it.
var errKnown = errors.New("this process knows the task")

// do claims a task and does it while the claim holds. Its outcome becomes the
// done-mark; after an error the task can be claimed again. do reports false if somebody
// else has done the task, and fails with store.ErrHeld while somebody else does it.
//
// While the store is away, a process that runs alone does the task anyway, and relies
// on its own memory of recent tasks to do each one once. Any other process fails with
// store.ErrUnavailable.
func (o *once) do(ctx context.Context, t *task) (mine bool, err error) {
	if t.claim == unclaimed && !o.recent.add(t.key) {
		return false, errKnown
	}
	t.claims()
	t.claimedAt = time.Now()
	claim := o.claims.Claim
	if t.stage == doubted {
		claim = o.claims.Reclaim
	}
	lease, err := claim(ctx, t.key, o.leases.TTL())
	switch {
	case errors.Is(err, store.ErrUnavailable) && t.claim < elsewhere && o.leases.Alone():
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
		t.contests()
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), work.StoreTimeout)
	defer cancel()
	if err != nil {
		return true, errors.Join(err, o.claims.Release(ctx, lease))
	}
	held, err := o.claims.Finish(ctx, lease, string(outcome))
	if err != nil {
		return true, &unmarkedError{err, func(ctx context.Context) error {
			_, err := o.claims.Finish(ctx, lease, string(outcome))
			return err
		}}
	}
	if !held {
		t.contests()
	}
	return true, nil
}

// unmarkedError means that a task is done, but could not be marked as done.
type unmarkedError struct {
	error

	mark func(context.Context) error // marks it
}

func (e *unmarkedError) Unwrap() error { return e.error }

func isUnmarkedError(err error) bool {
	_, ok := errors.AsType[*unmarkedError](err)
	return ok
}

// recent remembers the last claims of this process, so that an event that is delivered
// twice costs no request and needs no store. It may be used by any goroutine.
type recent struct {
	mu    sync.Mutex
	most  int
	seen  map[store.ClaimKey]bool // whether it is over
	order []store.ClaimKey
}

func newRecent(most int) *recent {
	return &recent{most: most, seen: make(map[store.ClaimKey]bool, most)}
}

// add adds a key, and reports whether it is new.
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
	r.seen[key] = false
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

// isOver reports whether a key is known and its task has ended.
func (r *recent) isOver(key store.ClaimKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[key]
}

// end notes that the task of a key has ended.
func (r *recent) end(key store.ClaimKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.seen[key]; known {
		r.seen[key] = true
	}
}

// reopen notes that the task of a key begins again, and reports whether it had ended.
func (r *recent) reopen(key store.ClaimKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.seen[key] {
		return false
	}
	r.seen[key] = false
	return true
}

// remove forgets a key.
func (r *recent) remove(key store.ClaimKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen, key)
	// Remove it from the order, too. Otherwise a later add of the key would inherit its
	// old age.
	if at := slices.Index(r.order, key); at >= 0 {
		r.order = slices.Delete(r.order, at, at+1)
	}
}
