package answer

import (
	"context"
	"errors"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// claim is the right to write to the answer to a question, which one goroutine of one process has
// at a time.
type claim struct {
	ctx   context.Context //nolint:containedctx // under which nothing is sent once the lease may have ended
	lease store.Lease     // zero while the store is away
	store *store.Claims
	stop  func() (lasted bool)
	free  func() // lets others of this process have it
}

// claimPause is the pause before another attempt to get a claim that somebody else holds.
const claimPause = 20 * time.Millisecond

// claim claims a question. It fails with store.ErrHeld while somebody else has the claim, and with
// store.ErrDone if the question was answered as it reads, unless the cause is to look at the answer
// or to replace it.
//
// An edit or a deletion has ended the answer that this process was giving, and waits for it. A
// press waits for as long as a lease lasts, in which a process that died loses its claim.
//
// While the store is away, a process that runs alone answers without a lease, and relies on its own
// memory of what it has answered. Any other process fails with store.ErrUnavailable.
func (a *Answerer) claim(ctx context.Context, q *Question) (*claim, error) {
	var patience time.Duration
	switch q.Cause { //nolint:exhaustive // all others wait for nobody
	case Changed, Deleted:
		patience = a.deps.Leases.TTL() / 4
	case Pressed:
		patience = a.deps.Leases.TTL()
	}
	free, err := a.turns.take(ctx, q.repliesTo(), patience)
	if err != nil {
		return nil, err
	}
	c := &claim{ctx: ctx, store: a.deps.Store.Claims, free: free, stop: func() bool { return true }}
	lease, err := a.lease(ctx, q)
	switch {
	case errors.Is(err, store.ErrUnavailable) && q.Cause != Pressed && !q.Before.isElsewhere() && a.deps.Leases.Alone():
	case err != nil:
		free()
		return nil, err
	default:
		c.lease = lease
		c.ctx, c.stop = a.deps.Leases.Hold(ctx, lease)
	}
	return c, nil
}

// lease takes the lease on a question.
func (a *Answerer) lease(ctx context.Context, q *Question) (store.Lease, error) {
	key, ttl := store.TriggerClaim(q.repliesTo()).At(q.Version), a.deps.Leases.TTL()
	switch q.Cause {
	case Checked, Deleted:
		return a.deps.Store.Claims.Reclaim(ctx, key, ttl)
	case Pressed:
		patient, cancel := context.WithTimeout(ctx, ttl)
		defer cancel()
		for {
			lease, err := a.deps.Store.Claims.Reclaim(patient, key, ttl)
			if patient.Err() != nil && ctx.Err() == nil {
				err = store.ErrHeld // time ran out in the last attempt
			}
			if !errors.Is(err, store.ErrHeld) || wait.For(patient, claimPause) != nil {
				return lease, err
			}
		}
	case Asked, Changed, Missed:
	}
	return a.deps.Store.Claims.Claim(ctx, key, ttl)
}

// release ends a claim and leaves the done-mark as it is. It reports whether the lease lasted.
func (c *claim) release(ctx context.Context) (lasted bool, err error) {
	defer c.free()
	lasted = c.stop()
	if !lasted || c.lease == (store.Lease{}) {
		return lasted, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
	defer cancel()
	return lasted, c.store.Release(ctx, c.lease)
}

// end ends the claim of an attempt. The outcome and the version become the done-mark, unless the
// attempt failed, or answered a press, after which the mark of before holds.
func (a *attempt) end(ctx context.Context, err error) (Outcome, error) {
	c := a.held
	if err != nil || a.q.Cause == Pressed {
		lasted, failure := c.release(ctx)
		switch {
		case err != nil && !lasted: // whatever failed, it failed without the claim
			err = errors.Join(err, ErrLost)
		case err != nil:
			err = errors.Join(err, failure)
		}
		a.out.Err = err
		return a.out, err
	}
	defer c.free()
	lasted := c.stop()
	a.out.Unmarked = store.Lease{}
	if c.lease == (store.Lease{}) {
		return a.out, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
	defer cancel()
	lease, ended := c.doneAs(a.out.Version), string(a.out.Ended)
	stillHeld, failure := a.deps.Store.Claims.Finish(ctx, lease, ended)
	if failure != nil { // what stands tells others that it is done
		a.out.Unmarked = lease
	}
	a.out.Doubt = a.out.Doubt || !lasted || failure == nil && !stillHeld
	return a.out, nil
}

// doneAs returns the lease with which a version of the question is done.
func (c *claim) doneAs(version time.Time) store.Lease {
	lease := c.lease
	lease.Version = 0
	if !version.IsZero() {
		lease.Version = version.UnixMicro()
	}
	return lease
}

// unclaimed returns the outcome of a question that could not be claimed.
func (q *Question) unclaimed(err error) (Outcome, error) {
	out := q.Before
	if errors.Is(err, store.ErrDone) {
		// Its process may have died before it looked once more.
		out.Ended, out.Version, out.Done, out.Doubt, out.Err = Found, q.Version, true, out.Doubt || q.Cause == Missed || out.Looked, nil
		return out, nil
	}
	out.Err = err
	return out, err
}

// isElsewhere reports whether another process may have had the claim when an attempt ended.
func (o *Outcome) isElsewhere() bool {
	return o.Err != nil && !errors.Is(o.Err, ErrUnsent) && !errors.Is(o.Err, ErrChanged)
}

// turns lets one goroutine of this process at a time work on the answer to a question. The zero
// turns are free.
//
// mu guards taken; it is never held over I/O.
type turns struct {
	mu    sync.Mutex
	taken map[graph.MessageID]chan struct{} // closed when it is free
}

// take takes the turn of a question. It waits for so long if somebody has it, and then fails with
// store.ErrHeld. The caller must call free.
func (t *turns) take(ctx context.Context, question graph.MessageID, patience time.Duration) (free func(), err error) {
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		t.mu.Lock()
		before := t.taken[question]
		if before == nil {
			break
		}
		t.mu.Unlock()
		select {
		case <-before:
		case <-patient.Done():
			return nil, store.ErrHeld
		}
	}
	defer t.mu.Unlock()
	if t.taken == nil {
		t.taken = make(map[graph.MessageID]chan struct{})
	}
	mine := make(chan struct{})
	t.taken[question] = mine
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.taken, question)
		close(mine)
	}, nil
}
