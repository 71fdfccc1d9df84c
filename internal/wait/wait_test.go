package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/wait"
)

func TestForWaitsAndEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := wait.For(t.Context(), time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("a minute took %s: %v, want %s and no error", time.Since(began), err, time.Minute)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := wait.For(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute+time.Second {
			t.Errorf("an hour with a context of a second took %s: %v, want one second and context.DeadlineExceeded", time.Since(began)-time.Minute, err)
		}
	})
}

func TestUntilEndsWithTheSignalTheTimeOrTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		signal := make(chan struct{}, 1)
		time.AfterFunc(time.Second, func() { signal <- struct{}{} })
		if err := wait.Until(t.Context(), signal, time.Minute); err != nil || time.Since(began) != time.Second {
			t.Errorf("a signal after a second took %s: %v, want %s and no error", time.Since(began), err, time.Second)
		}
		if err := wait.Until(t.Context(), signal, time.Minute); err != nil || time.Since(began) != time.Minute+time.Second {
			t.Errorf("without a signal a minute took %s: %v, want %s and no error", time.Since(began)-time.Second, err, time.Minute)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := wait.Until(ctx, signal, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute+2*time.Second {
			t.Errorf("an hour with a context of a second took %s: %v, want one second and context.DeadlineExceeded", time.Since(began)-time.Minute-time.Second, err)
		}
	})
}

func TestLaterIsCalledOnceItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, called := time.Now(), make(chan time.Duration, 1)
		stop := wait.Later(t.Context(), time.Minute, func(context.Context) { called <- time.Since(began) })
		defer stop()
		if took := <-called; took != time.Minute {
			t.Errorf("what was due after a minute came after %s, want %s", took, time.Minute)
		}
	})
}

func TestLaterIsNotCalledOnceItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := func(context.Context) { t.Error("what was stopped was called") }
		stop := wait.Later(t.Context(), time.Minute, fail)
		stop()
		stop()
		ctx, cancel := context.WithCancel(t.Context())
		defer wait.Later(ctx, time.Minute, fail)()
		cancel()
		time.Sleep(time.Hour) //nolint:forbidigo // of the bubble's clock
	})
}

func TestStopEndsWhatWasCalledLaterAndWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, ended := make(chan struct{}), false
		stop := wait.Later(t.Context(), time.Minute, func(ctx context.Context) {
			close(begun)
			<-ctx.Done()
			time.Sleep(time.Second) //nolint:forbidigo // of the bubble's clock
			ended = true
		})
		<-begun
		stop()
		if stop(); !ended {
			t.Error("stop returned before what it stopped had ended")
		}
	})
}

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
