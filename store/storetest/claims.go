package storetest

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/store"
)

// leaseTime is the length of claims and leads. It is long enough for the slowest
// machine.
const leaseTime = time.Hour

// claims claims a trigger, and fails the test unless the error is want.
func (b bench) claims(trigger graph.MessageID, want error) store.Lease {
	b.Helper()
	lease, err := b.store.Claims.Claim(b.ctx, store.TriggerClaim(trigger), leaseTime)
	b.ends("claiming", err, want)
	return lease
}

func claimEnds(b bench) {
	first := b.claims(1, nil)
	if until := b.subject.Now().Add(leaseTime); first.Until.After(until) {
		b.Errorf("the lease ends at %v, want not after %v", first.Until, until)
	}
	b.claims(1, store.ErrHeld)
	errtest.None(b, b.store.Claims.Release(b.ctx, first))
	b.claims(1, nil)
	b.subject.Advance(leaseTime)
	third := b.claims(1, nil)
	b.subject.Advance(leaseTime * 2 / 3)
	third = errtest.Must(b.store.Claims.Renew(b.ctx, third, leaseTime))(b)
	b.subject.Advance(leaseTime * 2 / 3)
	b.claims(1, store.ErrHeld)
	if _, done, err := b.store.Claims.IsDone(b.ctx, store.TriggerClaim(1)); done || err != nil {
		b.Fatalf("the trigger is done: %v, %v, want it not done", done, err)
	}
	errtest.None(b, b.store.Claims.Done(b.ctx, third, "answered"))
	b.claims(1, store.ErrDone)
	if _, done, err := b.store.Claims.IsDone(b.ctx, store.TriggerClaim(1).At(time.UnixMicro(1))); done || err != nil {
		b.Errorf("a version that is newer than what was done is done: %t, %v; want false and no error", done, err)
	}
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
	_, err := b.store.Claims.Renew(b.ctx, lost, leaseTime)
	b.ends("renewing what is over", err, store.ErrLost)
	owner := b.claims(1, nil)
	errtest.None(b, b.store.Claims.Release(b.ctx, lost))
	b.claims(1, store.ErrHeld)
	errtest.None(b, b.store.Claims.Done(b.ctx, lost, "late"))
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
	return errtest.Must(b.store.Claims.Finish(b.ctx, lease, "answered"))(b)
}

// claimDone reclaims a trigger that is done, which only one of two processes can do at
// a time.
func claimDone(b bench) {
	first := b.claims(1, nil)
	for range 2 { // again, as the first may take effect and its answer be lost
		if !finish(b, first) {
			b.Error("Finish reports that a lease was lost that it ended itself")
		}
	}
	b.claims(1, store.ErrDone)
	again := errtest.Must(b.store.Claims.Reclaim(b.ctx, store.TriggerClaim(1), leaseTime))(b)
	_, err := b.store.Claims.Reclaim(b.ctx, store.TriggerClaim(1), leaseTime)
	b.ends("doing again what another process does", err, store.ErrHeld)
	if mark := again.Mark; !mark.Known() || mark.Outcome != "answered" || !mark.Version.IsZero() || first.Mark.Known() {
		b.Errorf("the marks of the claims are %+v and %+v, want none and one of the first version", first.Mark, mark)
	}
	again.Version = 1000
	finish(b, again)
	for version, want := range map[int64]error{999: store.ErrDone, 1000: store.ErrDone, 1001: nil} {
		edited := store.TriggerClaim(1).At(time.UnixMicro(version))
		lease, err := b.store.Claims.Claim(b.ctx, edited, leaseTime)
		b.ends(fmt.Sprintf("claiming version %d, when 1000 is done,", version), err, want)
		if err == nil {
			errtest.None(b, b.store.Claims.Release(b.ctx, lease))
		}
	}
}

// claimStopped stops work that nobody does, that is done, and that somebody does.
func claimStopped(b bench) {
	stop := func(want bool) {
		b.Helper()
		if held := errtest.Must(b.store.Claims.Stop(b.ctx, store.TriggerClaim(1), leaseTime))(b); held != want {
			b.Errorf("the claim is held: %t, want %t", held, want)
		}
	}
	stopped := func(lease store.Lease, want bool) {
		b.Helper()
		if got := errtest.Must(b.store.Claims.Stopped(b.ctx, lease))(b); got != want {
			b.Errorf("the work is stopped: %t, want %t", got, want)
		}
	}
	stop(false)
	first := b.claims(1, nil)
	stopped(first, false)
	stop(true)
	stopped(first, true)
	finish(b, first)
	stop(false)
	again := errtest.Must(b.store.Claims.Reclaim(b.ctx, store.TriggerClaim(1), leaseTime))(b)
	stopped(again, false)
	if again.Mark.Outcome != "answered" {
		b.Errorf("the mark of work that was stopped is %+v, want it to be answered", again.Mark)
	}
}

// withdrawn withdraws an answer twice, and once without a lease.
func withdrawn(b bench) {
	r, other := sentAs(response(home, 1, said("Ann", "secret")), "first", 10), sentAs(response(home, 1, said("Ann", "secret")), "second", 20)
	b.save(r, other)
	lease := b.claims(1, nil)
	lease.Version = 500
	finish(b, lease)
	withdraw := func(lease store.Lease, want error, stale int) {
		b.Helper()
		places, err := b.store.Deletions.Withdraw(b.ctx, lease, home, general, []graph.MessageID{10})
		if b.ends("withdrawing", err, want); len(places) != stale {
			b.Errorf("the places %v are stale, want %d", places, stale)
		}
	}
	withdraw(lease, store.ErrLost, 0)
	answersLeft(b, 1, "first", "second")
	lease = errtest.Must(b.store.Claims.Reclaim(b.ctx, store.TriggerClaim(1), leaseTime))(b)
	withdraw(lease, nil, 1)
	answersLeft(b, 1, "second")
	withdraw(lease, nil, 0)
	_, err := b.store.Claims.Reclaim(b.ctx, store.TriggerClaim(1), leaseTime)
	b.ends("reclaiming a question while its answer is withdrawn", err, store.ErrHeld)
	errtest.None(b, b.store.Claims.Release(b.ctx, lease))
	b.claims(1, store.ErrDone)
	mark := errtest.Must(b.store.Claims.Reclaim(b.ctx, store.TriggerClaim(1), leaseTime))(b).Mark
	if mark.Outcome != store.Withdrawn || !mark.Covers(time.UnixMicro(500)) || mark.Covers(time.UnixMicro(501)) {
		b.Errorf("the mark is %+v, want version 500 to be withdrawn", mark)
	}
	shortened := b.claims(2, nil)
	leavesOnly(b, []graph.MessageID{20}, 10)
	withdraw(shortened, nil, 0)
	errtest.None(b, b.store.Claims.Release(b.ctx, shortened))
	b.claims(2, store.ErrDone)
}

// taken takes triggers, one of them twice, one by two processes and with an edit, and settles
// some of them.
func taken(b bench) {
	waits := func(want ...store.Pending) {
		b.Helper()
		waiting := errtest.Must(b.store.Backlog.Taken(b.ctx))(b)
		if !slices.Equal(waiting, want) {
			b.Fatalf("waiting are %v, want %v", waiting, want)
		}
	}
	second, last, first := store.Pending{Guild: 1, Channel: 2, Trigger: 30, By: 1}, store.Pending{Channel: 3, Trigger: 1 << 60}, store.Pending{Guild: 1, Channel: 2, Trigger: 5}
	byOther, edit := second, first
	byOther.By, edit.Edited = 2, 1<<50
	for _, p := range []store.Pending{second, second, last, first, byOther, edit} {
		errtest.None(b, b.store.Backlog.Take(b.ctx, p))
	}
	for range 2 {
		errtest.None(b, b.store.Backlog.Settle(b.ctx, second))
		errtest.None(b, b.store.Backlog.Settle(b.ctx, first))
	}
	waits(edit, byOther, last)
	b.subject.Advance(8 * 24 * time.Hour)
	waits()
}

func directs(b bench) {
	const far = graph.ChannelID(1<<63 + 1) // not representable as a float64
	known := func(want ...graph.ChannelID) {
		b.Helper()
		used := errtest.Must(b.store.Backlog.Used(b.ctx))(b)
		var channels []graph.ChannelID
		for _, at := range used {
			channels = append(channels, at.Channel)
		}
		if !slices.Equal(channels, want) {
			b.Fatalf("direct messages are %v, want %v", channels, want)
		}
	}
	known()
	for _, channel := range []graph.ChannelID{5, 3, 5, far} {
		errtest.None(b, b.store.Backlog.Use(b.ctx, store.UsedChannel{Channel: channel}))
		b.subject.Advance(30 * 24 * time.Hour)
	}
	b.subject.Advance(10 * 24 * time.Hour) // an engine may add a sixteenth
	known(far, 5)
	b.subject.Advance(90 * 24 * time.Hour)
	known()
}
