package store

import (
	"strconv"
	"testing"
	"time"
)

// TestWhatIsNoLongerRecentIsForgotten adds some entries each minute for a day. At most
// twice the number of recent entries are held.
func TestWhatIsNoLongerRecentIsForgotten(t *testing.T) {
	r := newRecent(10 * time.Minute)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for minute := range 24 * 60 {
		for n := range 5 {
			r.add(strconv.Itoa(minute)+"."+strconv.Itoa(n), now)
		}
		if most := 2 * 10 * 5; len(r.when) > most {
			t.Fatalf("%d entries are held after %d minutes, want %d at most", len(r.when), minute, most)
		}
		now = now.Add(time.Minute)
		if minute >= 5 && !r.has(strconv.Itoa(minute-5)+".0", now) {
			t.Fatalf("the entry of minute %d is forgotten in minute %d, want it held", minute-5, minute)
		}
	}
}
