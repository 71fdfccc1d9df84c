package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"heddle/graph"
)

var (
	// ErrHeld is met when somebody else holds the claim of a trigger.
	ErrHeld = errors.New("the trigger is being answered by somebody else")
	// ErrDone is met when a trigger was answered already.
	ErrDone = errors.New("the trigger was answered already")
	// ErrLost is met when a lease ended before it was renewed.
	ErrLost = errors.New("the claim was lost")
)

// Lease is the right to answer a trigger, or to ask the model for an answer that
// others want too, until it ends.
type Lease struct {
	Trigger graph.MessageID // zero for a lead
	// Until is when the lease ends at the earliest, by the clock of who asked.
	Until time.Time

	scope       Scope
	name, owner string
}

// Claim takes a trigger for at least ttl, however often and by whomever it is
// seen: one caller gets the lease, the others ErrHeld, and after Done everybody
// ErrDone. A lease ends by itself; one of an embedded store also with its process.
func (s *Store) Claim(ctx context.Context, trigger graph.MessageID, ttl time.Duration) (Lease, error) {
	lease := Lease{
		Trigger: trigger, Until: s.now().Add(ttl),
		scope: triggerScope(trigger), name: claimName, owner: rand.Text(),
	}
	failed, err := s.change(ctx, Change{lease.scope, []Op{
		{Kind: OpAbsent, Name: doneName},
		{Kind: OpHold, Name: lease.name, Value: lease.owner, TTL: ttl},
	}})
	if err != nil {
		return Lease{}, fmt.Errorf("claim a trigger: %w", err)
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

// Renew prolongs a lease to ttl from now. It fails with ErrLost where the lease
// ended before, even if nobody took it since.
func (s *Store) Renew(ctx context.Context, lease Lease, ttl time.Duration) (Lease, error) {
	until := s.now().Add(ttl)
	failed, err := s.change(ctx, Change{lease.scope, []Op{
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

// Release ends a lease: a trigger may then be claimed again, or somebody else takes
// the lead. A lease that was lost is left to its new owner.
func (s *Store) Release(ctx context.Context, lease Lease) error {
	return s.apply(ctx, "release a claim", Change{lease.scope, []Op{
		{Kind: OpFree, Name: lease.name, Value: lease.owner},
	}})
}

// Done marks a trigger as answered, with what came of it in a word, and ends the
// lease. It works with a lost lease too: the answer has been sent.
func (s *Store) Done(ctx context.Context, lease Lease, outcome string) error {
	return s.apply(ctx, "mark a trigger as done", Change{triggerScope(lease.Trigger), []Op{
		{Kind: OpPut, Name: doneName, Value: outcome, TTL: s.lives.Done},
		{Kind: OpFree, Name: claimName, Value: lease.owner},
	}})
}

// IsDone says whether a trigger was answered, and what came of it.
func (s *Store) IsDone(ctx context.Context, trigger graph.MessageID) (outcome string, done bool, err error) {
	values, err := s.engine.Get(ctx, Key{triggerScope(trigger), doneName})
	if err := s.note(ctx, err); err != nil {
		return "", false, fmt.Errorf("ask whether a trigger is done: %w", err)
	}
	return string(values[0]), values[0] != nil, nil
}
