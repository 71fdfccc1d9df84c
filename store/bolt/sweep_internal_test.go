package bolt

import (
	"fmt"
	"testing"
	"time"

	"heddle/store"
)

// TestSweepingGoesOnWhereItStopped stores more entries than one Sweep looks at. The
// first and the last of them expire, which are more than one Sweep removes.
func TestSweepingGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	now := time.Now()
	d, err := Open(Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
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
	if err := d.Update(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	now = now.Add(90 * time.Second)
	for call, want := range []int{10, sweepSize, sweepSize, 0, 0} {
		if removed, err := d.Sweep(t.Context()); err != nil || removed != want {
			t.Errorf("call %d removes %d entries, want %d: %v", call+1, removed, want, err)
		}
	}
	now = now.Add(time.Minute)
	removed := 0
	for range 2 * entries / sweepSize {
		n, err := d.Sweep(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		removed += n
	}
	if left := entries - 10 - 2*sweepSize; removed != left {
		t.Errorf("%d entries are removed at last, want the %d that are left", removed, left)
	}
}
