package bot

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"heddle/bot/work"

	"heddle/store"
)

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
	stop := b.leases.Renew(working, lease, drop)
	outcome, err := do(working)
	stop()

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), work.StoreTimeout)
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
