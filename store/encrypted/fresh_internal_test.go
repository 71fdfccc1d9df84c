package encrypted

import (
	"context"
	"testing"
	"time"

	"heddle/store"
)

// empty is an Inner that holds nothing and counts its reads.
type empty struct {
	Inner

	reads int
}

func (e *empty) Get(_ context.Context, keys ...store.Key) ([][]byte, error) {
	e.reads++
	return make([][]byte, len(keys)), nil
}

func TestWhatWasCheckedIsTrustedForAMinuteByAnyClock(t *testing.T) {
	for after, want := range map[time.Duration]bool{
		0: true, 59 * time.Second: true, 61 * time.Second: false,
		-time.Hour: false, // the clock was set back
	} {
		inner, now := &empty{}, time.Now()
		u := NewUnencrypted(inner, func() time.Time { return now })
		checks := func() {
			if err := u.Fits(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		k := &key{}
		k.checked.Store(now.UnixMilli())
		checks()
		now = now.Add(after)
		checks()
		if got := inner.reads == 1; got != want {
			t.Errorf("%s after a check, that the store is not encrypted is trusted: %t, want %t", after, got, want)
		}
		if got := k.fresh(now); got != want {
			t.Errorf("%s after a check, a key is trusted: %t, want %t", after, got, want)
		}
	}
}
