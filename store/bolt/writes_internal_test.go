package bolt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"heddle/internal/errtest"
	"heddle/store"
	"heddle/store/storetest"
)

// TestAnAnswerIsStoredInOneWrite counts the transactions of bbolt that change the file, for an
// answer with the mark that its question is done, which waits no longer.
func TestAnAnswerIsStoredInOneWrite(t *testing.T) {
	t.Parallel()
	d := errtest.Must(Open(Options{Dir: t.TempDir()}))(t)
	s := store.New(d, store.Options{})
	defer func() { _ = s.Close() }()
	r := storetest.Example("g1", 1)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	writes := func(do func()) int {
		before := d.lastWrite(t)
		do()
		return d.lastWrite(t) - before
	}
	must(s.Ping(t.Context()))
	taken := store.Pending{Channel: r.Channel, Trigger: r.Trigger}
	must(s.Backlog.Take(t.Context(), taken))
	var lease store.Lease
	var err error
	if n := writes(func() { lease, err = s.Claims.Claim(t.Context(), store.TriggerClaim(r.Trigger), time.Minute) }); n != 0 || err != nil {
		t.Errorf("a claim takes %d writes, %v, want none", n, err)
	}
	if n := writes(func() {
		must(s.Responses.Save(t.Context(), r, s.Claims.Marks(lease, "answered", taken)...))
	}); n != 1 {
		t.Errorf("an answer takes %d writes, want 1", n)
	}
	if n := writes(func() {
		held, err := s.Claims.Finish(t.Context(), lease, "answered")
		if must(err); !held {
			t.Error("the claim counts as lost, want it held")
		}
		must(s.Backlog.Settle(t.Context(), taken))
	}); n != 0 {
		t.Errorf("what is done already takes %d more writes, want none", n)
	}
	if _, err := s.Claims.Claim(t.Context(), store.TriggerClaim(r.Trigger), time.Minute); err == nil {
		t.Error("the question is claimed again, want it done")
	}
	for _, want := range []int{0, 1} {
		if waiting, err := s.Backlog.Taken(t.Context()); err != nil || len(waiting) != want {
			t.Errorf("%d questions wait, %v, want %d", len(waiting), err, want)
		}
		must(s.Backlog.Take(t.Context(), taken))
		must(s.Responses.Save(t.Context(), r, s.Claims.Marks(lease, "answered", taken)...)) // the lease has ended
	}
}

// TestAClaimWaitsForNoWrite claims and releases while a write to disk is in progress, and marks
// something as done that is.
func TestAClaimWaitsForNoWrite(t *testing.T) {
	t.Parallel()
	d := errtest.Must(Open(Options{Dir: t.TempDir()}))(t)
	claims := store.New(d, store.Options{}).Claims
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	done, err := claims.Claim(ctx, store.TriggerClaim(1), time.Minute)
	errtest.None(t, errors.Join(err, claims.Done(ctx, done, "answered")))
	d.turn <- struct{}{} // as a write does
	key := store.TriggerClaim(2)
	lease, err := claims.Claim(ctx, key, time.Minute)
	if err != nil {
		t.Fatalf("a claim meanwhile fails: %v", err)
	}
	if _, err := claims.Claim(ctx, key, time.Minute); !errors.Is(err, store.ErrHeld) {
		t.Errorf("claiming it once more returns %v, want %v", err, store.ErrHeld)
	}
	if err := errors.Join(claims.Release(ctx, lease), claims.Done(ctx, done, "answered")); err != nil {
		t.Error(err)
	}
	if _, err := claims.Claim(ctx, key, time.Minute); err != nil {
		t.Errorf("claiming it after its release fails: %v", err)
	}
	<-d.turn
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestSweepingGoesOnWhereItStopped stores more entries than one Sweep looks at. The
// first and the last of them expire, which are more than one Sweep removes.
func TestSweepingGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	now := time.Now()
	d := errtest.Must(Open(Options{Dir: t.TempDir(), Now: func() time.Time { return now }}))(t)
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	const entries = sweepLooks + 5*sweepSize
	expires := func(i int) bool { return i < 10 || i >= entries-2*sweepSize }
	var writes []store.Write
	for i := range entries {
		ttl := 2 * time.Minute
		if expires(i) {
			ttl = time.Minute
		}
		writes = append(writes, store.Write{Kind: store.WritePut, Name: fmt.Sprintf("%06d", i), Value: "x", TTL: ttl})
	}
	change := store.Change{Scope: "g1", Make: func(store.Reader) ([]store.Write, error) { return writes, nil }}
	errtest.None(t, d.Update(t.Context(), change))
	now = now.Add(90 * time.Second)
	for call, want := range []int{10, sweepSize, sweepSize, 0, 0} {
		if removed, err := d.Sweep(t.Context()); err != nil || removed != want {
			t.Errorf("call %d removes %d entries, want %d: %v", call+1, removed, want, err)
		}
	}
	now = now.Add(time.Minute)
	removed := 0
	for range 2 * entries / sweepSize {
		n := errtest.Must(d.Sweep(t.Context()))(t)
		removed += n
	}
	if left := entries - 10 - 2*sweepSize; removed != left {
		t.Errorf("%d entries are removed at last, want the %d that are left", removed, left)
	}
}

// TestCallsThatWaitShareAWrite has calls wait for a write. Some of them panic, one is refused, and
// one gives up.
func TestCallsThatWaitShareAWrite(t *testing.T) {
	t.Parallel()
	for _, panics := range []int{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			d := errtest.Must(Open(Options{Dir: t.TempDir()}))(t)
			defer func() { errtest.None(t, d.Close()) }()
			const calls = mostTogether
			var ended sync.WaitGroup
			var panicked, refused atomic.Int64
			update := func(ctx context.Context, i int) error {
				defer func() {
					if recover() != nil {
						panicked.Add(1)
					}
				}()
				return d.Update(ctx, store.Change{Scope: "g1", Make: func(store.Reader) ([]store.Write, error) {
					return []store.Write{{Kind: store.WriteAdd, Name: "set", Member: string(rune('a' + i)), TTL: time.Hour}}, nil
				}}, store.Change{Scope: "g1", Make: func(store.Reader) ([]store.Write, error) {
					if i < panics {
						panic(i)
					}
					return nil, map[bool]error{true: store.ErrHeld}[i == calls-1]
				}})
			}
			before := d.lastWrite(t)
			d.turn <- struct{}{} // as a write does
			for i := range calls {
				ended.Go(func() {
					switch err := update(t.Context(), i); {
					case errors.Is(err, store.ErrHeld):
						refused.Add(1)
					case err != nil:
						t.Error(err)
					}
				})
			}
			ctx, cancel := context.WithCancel(t.Context())
			gaveUp := make(chan error, 1)
			go func() { gaveUp <- update(ctx, calls) }()
			synctest.Wait() // until all wait for the turn
			cancel()
			if err := <-gaveUp; !errors.Is(err, context.Canceled) {
				t.Errorf("a call that gives up returns %v, want %v", err, context.Canceled)
			}
			<-d.turn
			ended.Wait()
			var members [][]string
			errtest.None(t, d.Read(t.Context(), "g1", func(read store.Reader) (err error) {
				members, err = read.Members("set")
				return err
			}))
			if len(members[0]) != calls-panics || int(panicked.Load()) != panics || refused.Load() != 1 {
				t.Errorf("%d calls store something, %d panic and %d are refused, want %d, %d and 1", len(members[0]), panicked.Load(), refused.Load(), calls-panics, panics)
			}
			if writes := d.lastWrite(t) - before; panics == 0 && writes > 1 {
				t.Errorf("%d calls take %d writes, want 1", calls, writes)
			}
		})
	}
}

// lastWrite returns the number of the last transaction of bbolt that changed the file.
func (d *DB) lastWrite(t *testing.T) (id int) {
	t.Helper()
	errtest.None(t, d.db.View(func(tx *bbolt.Tx) error { id = tx.ID(); return nil }))
	return id
}
