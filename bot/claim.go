package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"heddle/store"
)

// storeTimeout bounds what is written when the mention's own context has ended.
const storeTimeout = 30 * time.Second

// errLost is the cause of a context that ends because another process may have
// taken the trigger.
var errLost = errors.New("the claim was lost")

// claim takes a trigger for this process and runs do while the claim holds. What
// do returns is kept as the outcome; an error leaves the trigger free for another
// try. It gives false where somebody else has answered the trigger, and with
// store.ErrHeld where somebody else answers it.
//
// A store that cannot be reached costs nothing here: a process alone still answers
// each trigger once, by the memory of recent ones. Where held says that another
// process was seen to answer, it is waited for.
func (b *Bot) claim(ctx context.Context, key store.ClaimKey, held bool, do func(context.Context) (outcome string, err error)) (bool, error) {
	if !b.recent.add(key) {
		return false, nil
	}
	lease, err := b.claims.Claim(ctx, key, b.settings.Lease)
	switch {
	case errors.Is(err, store.ErrUnavailable) && !held:
		_, err := do(ctx)
		return true, err
	case errors.Is(err, store.ErrDone):
		return false, nil
	case err != nil:
		b.recent.remove(key)
		return false, err
	}

	working, drop := context.WithCancelCause(ctx)
	stop := b.renewing(working, lease, drop)
	outcome, err := do(working)
	stop()

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err != nil {
		b.recent.remove(key)
		return true, errors.Join(err, b.claims.Release(ctx, lease))
	}
	if err := b.claims.Done(ctx, lease, outcome); err != nil {
		return true, fmt.Errorf("mark %s as done: %w", key, err)
	}
	return true, nil
}

// renewing keeps a lease, by drop's context, until stop is called, which ends the
// context too and waits for a renewal under way. Where the lease was lost, drop is
// called. Nothing runs before a third of the lease is over: most answers are there
// by then.
func (b *Bot) renewing(ctx context.Context, lease store.Lease, drop context.CancelCauseFunc) (stop func()) {
	ended := make(chan struct{})
	timer := time.AfterFunc(b.settings.Lease/3, func() {
		defer close(ended)
		b.renew(ctx, lease, drop)
	})
	return func() {
		drop(nil)
		if !timer.Stop() {
			<-ended
		}
	}
}

// renew renews a lease until ctx ends, and ends it by drop where the lease was lost.
func (b *Bot) renew(ctx context.Context, lease store.Lease, drop context.CancelCauseFunc) {
	ticker := time.NewTicker(b.settings.Lease / 3)
	defer ticker.Stop()
	for ctx.Err() == nil {
		renewed, err := b.claims.Renew(ctx, lease, b.settings.Lease)
		switch {
		case err == nil:
			lease = renewed
		case errors.Is(err, store.ErrLost), b.now().After(lease.Until):
			drop(errLost)
			return
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// recent remembers the latest keys that this process claimed, so that an event
// delivered twice costs no look-up and needs no store.
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
}
