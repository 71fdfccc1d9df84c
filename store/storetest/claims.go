package storetest

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"heddle/graph"
	"heddle/store"
)

// leaseTime is the length of claims and leads. It is long enough for the slowest
// machine.
const leaseTime = time.Hour

func oneClaim(b bench) {
	for trigger := range graph.MessageID(5) {
		var taken, held atomic.Int32
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				switch _, err := b.store.Claims.Claim(b.ctx, store.TriggerClaim(trigger+1), leaseTime); {
				case err == nil:
					taken.Add(1)
				case errors.Is(err, store.ErrHeld):
					held.Add(1)
				default:
					b.Error(err)
				}
			})
		}
		group.Wait()
		if taken.Load() != 1 || held.Load() != 15 {
			b.Fatalf("%d of 16 got the claim and %d were refused, want 1 and 15", taken.Load(), held.Load())
		}
	}
}

// claims claims a trigger, and fails the test unless the error is want.
func (b bench) claims(trigger graph.MessageID, want error) store.Lease {
	b.Helper()
	lease, err := b.store.Claims.Claim(b.ctx, store.TriggerClaim(trigger), leaseTime)
	if !errors.Is(err, want) {
		b.Fatalf("claiming ends with %v, want %v", err, want)
	}
	return lease
}

func claimEnds(b bench) {
	first := b.claims(1, nil)
	if until := b.subject.Now().Add(leaseTime); first.Until.After(until) {
		b.Errorf("the lease ends at %v, want not after %v", first.Until, until)
	}
	b.claims(1, store.ErrHeld)
	b.must(b.store.Claims.Release(b.ctx, first))
	b.claims(1, nil)
	b.subject.Advance(leaseTime)
	third := b.claims(1, nil)
	b.subject.Advance(leaseTime * 2 / 3)
	third, err := b.store.Claims.Renew(b.ctx, third, leaseTime)
	b.must(err)
	b.subject.Advance(leaseTime * 2 / 3)
	b.claims(1, store.ErrHeld)
	if _, done, err := b.store.Claims.IsDone(b.ctx, store.TriggerClaim(1)); done || err != nil {
		b.Fatalf("the trigger is done: %v, %v, want it not done", done, err)
	}
	b.must(b.store.Claims.Done(b.ctx, third, "answered"))
	b.claims(1, store.ErrDone)
	if outcome, done, err := b.store.Claims.IsDone(b.ctx, store.TriggerClaim(1)); outcome != "answered" || !done || err != nil {
		b.Fatalf("the outcome is %q, %v, %v, want \"answered\"", outcome, done, err)
	}
	b.claims(2, nil)
	b.subject.Advance(9 * 24 * time.Hour)
	b.claims(1, nil)
}

// answeredOnce lets many goroutines claim the same triggers until all are answered.
func answeredOnce(b bench) {
	const triggers, processes = 20, 8
	var answered [triggers]atomic.Int32
	var group sync.WaitGroup
	for range processes {
		group.Go(func() {
			for i := range answered {
				for {
					lease, err := b.store.Claims.Claim(b.ctx, store.TriggerClaim(graph.MessageID(i+1)), leaseTime)
					if errors.Is(err, store.ErrHeld) {
						runtime.Gosched()
						continue
					}
					if err == nil {
						answered[i].Add(1)
						err = b.store.Claims.Done(b.ctx, lease, "answered")
					}
					if err != nil && !errors.Is(err, store.ErrDone) {
						b.Error(err)
					}
					break
				}
			}
		})
	}
	group.Wait()
	for i := range answered {
		if n := answered[i].Load(); n != 1 {
			b.Errorf("trigger %d was claimed %d times, want 1", i+1, n)
		}
	}
}

func claimLost(b bench) {
	lost := b.claims(1, nil)
	b.subject.Advance(2 * leaseTime)
	if _, err := b.store.Claims.Renew(b.ctx, lost, leaseTime); !errors.Is(err, store.ErrLost) {
		b.Fatalf("renewing what is over returns %v, want %v", err, store.ErrLost)
	}
	owner := b.claims(1, nil)
	b.must(b.store.Claims.Release(b.ctx, lost))
	b.claims(1, store.ErrHeld)
	b.must(b.store.Claims.Done(b.ctx, lost, "late"))
	b.claims(1, store.ErrDone)
	if _, err := b.store.Claims.Renew(b.ctx, owner, leaseTime); err != nil {
		b.Fatalf("the owner cannot renew: %v", err)
	}
	if finish(b, lost) || !finish(b, owner) {
		b.Fatal("Finish reports that a lost lease held, or that a held one was lost")
	}
}

// finish calls Finish for a lease, and returns whether the lease still held.
func finish(b bench, lease store.Lease) (held bool) {
	b.Helper()
	held, err := b.store.Claims.Finish(b.ctx, lease, "answered")
	b.must(err)
	return held
}

// claimDone reclaims a trigger that is done, which only one of two processes can do at
// a time.
func claimDone(b bench) {
	finish(b, b.claims(1, nil))
	b.claims(1, store.ErrDone)
	again, err := b.store.Claims.Reclaim(b.ctx, store.TriggerClaim(1), leaseTime)
	b.must(err)
	if _, err := b.store.Claims.Reclaim(b.ctx, store.TriggerClaim(1), leaseTime); !errors.Is(err, store.ErrHeld) {
		b.Fatalf("a second process may do again what one does already: %v, want %v", err, store.ErrHeld)
	}
	finish(b, again)
	b.claims(1, store.ErrDone)
}

func pendingInOrder(b bench) {
	waiting := []store.Pending{{Guild: 1, Channel: 2, Trigger: 30}, {Channel: 3, Trigger: 1 << 60}, {Guild: 1, Channel: 2, Trigger: 5}}
	for _, p := range waiting {
		b.must(b.store.Backlog.Enqueue(b.ctx, p))
		b.must(b.store.Backlog.Enqueue(b.ctx, p))
	}
	waits(b, waiting[2], waiting[0], waiting[1])
	b.must(b.store.Backlog.Remove(b.ctx, waiting[0]))
	b.must(b.store.Backlog.Remove(b.ctx, waiting[0]))
	waits(b, waiting[2], waiting[1])
	b.subject.Advance(2 * time.Hour)
	waits(b)
}

func takenUntilSettled(b bench) {
	question, edit := store.Pending{Guild: 1, Channel: 2, Trigger: 30}, store.Pending{Guild: 1, Channel: 2, Trigger: 30, Edited: 1 << 50}
	b.must(b.store.Backlog.Take(b.ctx, question))
	b.must(b.store.Backlog.Take(b.ctx, edit))
	b.must(b.store.Backlog.Take(b.ctx, edit))
	waits(b) // taken triggers do not wait
	b.must(b.store.Backlog.Settle(b.ctx, question))
	taken, err := b.store.Backlog.Taken(b.ctx)
	b.must(err)
	if !slices.Equal(taken, []store.Pending{edit}) || taken[0].Claim() != store.EditClaim(30, time.UnixMicro(1<<50)) {
		b.Fatalf("taken are %v, want %v", taken, edit)
	}
}

// takenByTwo lets two processes take the same question. When one settles it, the other
// still has it.
func takenByTwo(b bench) {
	question := func(by uint64) store.Pending { return store.Pending{Channel: 2, Trigger: 30, By: by} }
	for by := range uint64(2) {
		b.must(b.store.Backlog.Take(b.ctx, question(by+1)))
	}
	b.must(b.store.Backlog.Settle(b.ctx, question(1)))
	taken, err := b.store.Backlog.Taken(b.ctx)
	b.must(err)
	if !slices.Equal(taken, []store.Pending{question(2)}) || taken[0].Claim() != store.TriggerClaim(30) {
		b.Fatalf("taken are %v, want %v", taken, question(2))
	}
}

func waits(b bench, want ...store.Pending) {
	b.Helper()
	waiting, err := b.store.Backlog.Pending(b.ctx)
	b.must(err)
	if !slices.Equal(waiting, want) {
		b.Fatalf("waiting are %v, want %v", waiting, want)
	}
}

func directsOfLate(b bench) {
	const far = graph.ChannelID(1<<63 + 1) // not representable as a float64
	talksIn(b)
	day := func(n int) { b.subject.Advance(time.Duration(n*24) * time.Hour) }
	b.must(b.store.Backlog.Direct(b.ctx, 5))
	day(30)
	b.must(b.store.Backlog.Direct(b.ctx, 3))
	day(30)
	b.must(b.store.Backlog.Direct(b.ctx, 5))
	b.must(b.store.Backlog.Direct(b.ctx, 5))
	day(20)
	b.must(b.store.Backlog.Direct(b.ctx, far))
	talksIn(b, far, 5, 3)
	day(60) // more than 90 days and an eighth after channel 3 was last used
	talksIn(b, far, 5)
	day(60)
	talksIn(b)
}

func talksIn(b bench, want ...graph.ChannelID) {
	b.Helper()
	channels, err := b.store.Backlog.Directs(b.ctx)
	b.must(err)
	if !slices.Equal(channels, want) {
		b.Fatalf("direct messages are %v, want %v", channels, want)
	}
}
