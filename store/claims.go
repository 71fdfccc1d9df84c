package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
)

// Claims makes sure that things are done once, across processes. A claim is a lease; a
// done-mark outlives it.
type Claims struct{ base *base }

var (
	// ErrHeld is returned when somebody else holds the claim or the lead.
	ErrHeld = errors.New("somebody else has claimed it")
	// ErrDone is returned when the work to be claimed is already done.
	ErrDone = errors.New("it is already done")
	// ErrLost is returned when a lease ended before it was renewed.
	ErrLost = errors.New("the claim was lost")
)

// Lease is the right to do the claimed work until the lease ends. The lead of Seek is a
// lease, too: the right to ask the model for an answer that several callers want.
type Lease struct {
	Until time.Time // the earliest end of the lease, by the caller's clock

	scope       Scope
	name, owner string
}

// Claim claims a key for at least ttl. One caller gets the lease, all others get
// ErrHeld, and everybody gets ErrDone after Done. A lease ends by itself. The lease of
// an embedded store also ends with its process.
func (c *Claims) Claim(ctx context.Context, key ClaimKey, ttl time.Duration) (Lease, error) {
	lease := Lease{Until: c.base.now().Add(ttl), scope: key.scope, name: claimName, owner: rand.Text()}
	failed, err := c.base.change(ctx, Change{lease.scope, []Op{
		{Kind: OpAbsent, Name: doneName},
		{Kind: OpHold, Name: lease.name, Value: lease.owner, TTL: ttl},
	}})
	if err != nil {
		return Lease{}, fmt.Errorf("claim %s: %w", key, err)
	}
	switch failed[0] {
	case Applied:
		return lease, nil
	case 0:
		return Lease{}, ErrDone
	default:
		return Lease{}, ErrHeld
	}
}

// Reclaim is like Claim but ignores a done-mark. It is for checking finished work and
// doing it again.
func (c *Claims) Reclaim(ctx context.Context, key ClaimKey, ttl time.Duration) (Lease, error) {
	lease := Lease{Until: c.base.now().Add(ttl), scope: key.scope, name: claimName, owner: rand.Text()}
	failed, err := c.base.change(ctx, Change{lease.scope, []Op{{Kind: OpHold, Name: lease.name, Value: lease.owner, TTL: ttl}}})
	switch {
	case err != nil:
		return Lease{}, fmt.Errorf("claim %s once more: %w", key, err)
	case failed[0] != Applied:
		return Lease{}, ErrHeld
	}
	return lease, nil
}

// Renew prolongs a lease to ttl from now. It returns ErrLost if the lease has ended,
// even if nobody has taken it since.
func (c *Claims) Renew(ctx context.Context, lease Lease, ttl time.Duration) (Lease, error) {
	until := c.base.now().Add(ttl)
	failed, err := c.base.change(ctx, Change{lease.scope, []Op{
		{Kind: OpHeld, Name: lease.name, Value: lease.owner},
		{Kind: OpHold, Name: lease.name, Value: lease.owner, TTL: ttl},
	}})
	if err != nil {
		return lease, fmt.Errorf("renew a claim: %w", err)
	}
	if failed[0] != Applied {
		return lease, ErrLost
	}
	lease.Until = until
	return lease, nil
}

// Release ends a lease, so that its key can be claimed again or somebody else takes the
// lead. A lease that was lost is left to its new owner.
func (c *Claims) Release(ctx context.Context, lease Lease) error {
	return c.base.apply(ctx, "release a claim", Change{lease.scope, []Op{
		{Kind: OpFree, Name: lease.name, Value: lease.owner},
	}})
}

// Done marks the claimed work as done, with its outcome in one word, and ends the
// lease. It does so even if the lease is lost, because the answer has been sent.
func (c *Claims) Done(ctx context.Context, lease Lease, outcome string) error {
	_, err := c.Finish(ctx, lease, outcome)
	return err
}

// Finish is like Done, and reports whether the lease still held. If it did not, another
// process may have done the same work or may be doing it.
func (c *Claims) Finish(ctx context.Context, lease Lease, outcome string) (held bool, err error) {
	const what = "mark a claim as done"
	holds := Op{Kind: OpHeld, Name: claimName, Value: lease.owner}
	mark := Op{Kind: OpPut, Name: doneName, Value: outcome, TTL: c.base.lives.Done}
	failed, err := c.base.change(ctx, Change{lease.scope, []Op{holds, mark, {Kind: OpFree, Name: claimName, Value: lease.owner}}})
	if err != nil {
		return false, fmt.Errorf("%s: %w", what, err)
	}
	if failed[0] == Applied {
		return true, nil
	}
	return false, c.base.apply(ctx, what, Change{lease.scope, []Op{mark}})
}

// IsDone reports whether a key is done, and with what outcome.
func (c *Claims) IsDone(ctx context.Context, key ClaimKey) (outcome string, done bool, err error) {
	values, err := c.base.get(ctx, Key{key.scope, doneName})
	if err != nil {
		return "", false, fmt.Errorf("ask whether %s is done: %w", key, err)
	}
	return string(values[0]), values[0] != nil, nil
}
