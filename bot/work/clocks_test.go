package work_test

import (
	"testing"
	"time"
	"unsafe"

	"heddle/bot/work"
	"heddle/internal/roomtest"
	"heddle/store"
)

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
		_, stop := work.NewLeases(shared.Claims, ttl).Hold(t.Context(), lease)
		if lasted := stop(); lasted != test.want {
			t.Errorf("%s: the lease is held: %t, want %t", name, lasted, test.want)
		}
	}
}
