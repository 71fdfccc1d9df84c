package wait_test

import (
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/wait"
)

func TestASignalWakesOnceHoweverOftenItIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := wait.NewSignal(), time.Now()
		for range 3 {
			s.Set()
		}
		for _, want := range []time.Duration{0, time.Minute} {
			if err := wait.Until(t.Context(), s, time.Minute); err != nil || time.Since(began) != want {
				t.Errorf("waiting ended after %s with %v, want after %s with no error", time.Since(began), err, want)
			}
		}
		go s.Set()
		if err := wait.Until(t.Context(), s, time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("waiting ended after %s with %v, want at once with no error", time.Since(began)-time.Minute, err)
		}
	})
}
