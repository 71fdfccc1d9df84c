package answer_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"heddle/bot/answer"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
	"heddle/internal/wait"
	"heddle/store"
)

func claim(t *testing.T, s *store.Store, key store.ClaimKey) store.Lease {
	t.Helper()
	return errtest.Must(s.Claims.Claim(t.Context(), key, ttl))(t)
}

const ttl = 3 * time.Second

func TestALeaseIsRenewedForAsLongAsItIsNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, key := roomtest.OpenStore(t), store.TriggerClaim(5)
		leases := answer.NewLeases(shared.Claims, ttl, false)
		held, stop := leases.Hold(t.Context(), claim(t, shared, key))
		_ = wait.For(t.Context(), 10*ttl)
		if _, err := shared.Claims.Claim(t.Context(), key, ttl); !errors.Is(err, store.ErrHeld) {
			t.Errorf("a lease ended although it was renewed: %v, want %v", err, store.ErrHeld)
		}
		if held.Err() != nil {
			t.Errorf("the work ended: %v, want it to go on", context.Cause(held))
		}
		stop()
		_ = wait.For(t.Context(), ttl+time.Second)
		if _, err := shared.Claims.Claim(t.Context(), key, ttl); err != nil {
			t.Errorf("a lease that is no longer renewed cannot be claimed: %v", err)
		}
	})
}

func TestWorkEndsWhenItsLeaseIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, key := roomtest.OpenStore(t), store.TriggerClaim(5)
		lease := claim(t, shared, key)
		errtest.None(t, shared.Claims.Release(t.Context(), lease))
		held, stop := answer.NewLeases(shared.Claims, ttl, false).Hold(t.Context(), lease)
		defer stop()
		if wait.For(held, time.Minute) == nil || !errors.Is(context.Cause(held), answer.ErrLost) {
			t.Errorf("without its lease the work ends with %v, want it ended as lost", context.Cause(held))
		}
	})
}

func TestKeepHoldsALeaseBeyondItsContextUntilItIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, key := roomtest.OpenStore(t), store.TriggerClaim(5)
		ctx, cancel := context.WithCancel(t.Context())
		release := answer.NewLeases(shared.Claims, ttl, false).Keep(ctx, slog.New(slog.DiscardHandler), claim(t, shared, key))
		cancel()
		_ = wait.For(t.Context(), 10*ttl)
		if _, err := shared.Claims.Claim(t.Context(), key, ttl); !errors.Is(err, store.ErrHeld) {
			t.Errorf("the lease ended with its context: %v, want %v", err, store.ErrHeld)
		}
		release()
		if _, err := shared.Claims.Claim(t.Context(), key, ttl); err != nil {
			t.Errorf("the lease was not released: %v", err)
		}
	})
}

// TestWithoutItsStoreAProcessAmongOthersStopsBeforeItsLeaseEnds checks how long a
// process may go on if its lease cannot be renewed: among others, not beyond the lease;
// alone, without end.
func TestWithoutItsStoreAProcessAmongOthersStopsBeforeItsLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := roomtest.OpenStore(t)
		lease := claim(t, shared, store.TriggerClaim(5))
		errtest.None(t, shared.Close()) // from now on it cannot be reached
		alone, among := answer.NewLeases(shared.Claims, ttl, false), answer.NewLeases(shared.Claims, ttl, true)
		working, stop := among.Hold(t.Context(), lease)
		defer stop()
		if wait.For(working, time.Minute) == nil || !errors.Is(context.Cause(working), answer.ErrLost) {
			t.Errorf("the work among others ended with %v, want %v within a minute", context.Cause(working), answer.ErrLost)
		}
		if left := time.Until(lease.Until); left <= 0 {
			t.Errorf("the work among others ended %s after its lease, want before", -left)
		}
		lease.Until = time.Now().Add(ttl)
		working, stop = alone.Hold(t.Context(), lease)
		defer stop()
		if wait.For(working, 10*ttl) != nil {
			t.Errorf("the work of a process that is alone ended: %v, want it to go on", context.Cause(working))
		}
	})
}

// apart returns t with its reading of the wall clock moved by whole seconds. Its reading of the
// monotonic clock stays, as if the wall clock had been set before t was taken.
func apart(t time.Time, by time.Duration) time.Time {
	const seconds = 30 // the bit of a time's first word at which they begin
	*(*uint64)(unsafe.Pointer(&t)) += uint64(int64(by/time.Second)) << seconds
	return t
}

// TestALeaseEndsByTheClockThatIsAhead moves the clocks of the machine apart while a lease is
// held: a machine that was suspended for an hour has an hour more on its wall clock than on
// its monotonic clock.
func TestALeaseEndsByTheClockThatIsAhead(t *testing.T) {
	const ttl = 30 * time.Minute // it is not renewed while the test runs
	shared := roomtest.OpenStore(t)
	lease := claim(t, shared, store.TriggerClaim(5))
	for name, test := range map[string]struct {
		until time.Time
		want  bool
	}{
		"both clocks run":                         {time.Now().Add(ttl), true},
		"suspended for an hour":                   {apart(time.Now().Add(ttl), -time.Hour), false},
		"set back by an hour after the lease":     {apart(time.Now().Add(-time.Minute), time.Hour), false},
		"set back by ten minutes under the lease": {apart(time.Now().Add(ttl), 10*time.Minute), true},
	} {
		lease.Until = test.until
		_, stop := answer.NewLeases(shared.Claims, ttl, false).Hold(t.Context(), lease)
		if lasted := stop(); lasted != test.want {
			t.Errorf("%s: the lease is held: %t, want %t", name, lasted, test.want)
		}
	}
}
