package deferred_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heddle/bot/deferred"
	"heddle/internal/wait"
	"heddle/store"
)

func TestWritesWritesInOrderAndTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := deferred.New(slog.New(slog.DiscardHandler))
		var done []int
		outages := 3
		for i := range 4 {
			w.Add(func(context.Context) error {
				if i == 1 && outages > 0 {
					outages--
					return fmt.Errorf("write: %w", store.ErrUnavailable)
				}
				if i == 2 {
					return errors.New("refused for good")
				}
				done = append(done, i)
				return nil
			})
		}
		go w.Run(t.Context())
		_ = wait.For(t.Context(), 10*deferred.Retry)
		w.Close()
		synctest.Wait()
		if want := []int{0, 1, 3}; !slices.Equal(done, want) {
			t.Errorf("the writes made are %v, want %v", done, want)
		}
	})
}

func TestWritesTriesEverythingOnceMoreAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := deferred.New(slog.New(slog.DiscardHandler))
		away := true
		var tried, done int
		for range 3 {
			w.Add(func(context.Context) error {
				if tried++; away {
					return store.ErrUnavailable
				}
				done++
				return nil
			})
		}
		go w.Run(t.Context())
		synctest.Wait()
		began := time.Now()
		w.Add(func(context.Context) error { away = false; return nil })
		w.Add(func(context.Context) error { done++; return nil })
		w.Close()
		synctest.Wait()
		if tried != 4 || done != 1 || time.Since(began) != 0 {
			t.Errorf("after %d tries %d are written in %s, want 4, 1 and 0", tried, done, time.Since(began))
		}
	})
}

func TestWritesStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := deferred.New(slog.New(slog.DiscardHandler))
		w.Add(func(context.Context) error { return store.ErrUnavailable })
		go func() { synctest.Wait(); cancel() }()
		w.Run(ctx)
	})
}

// TestAtTheBoundTheOldestGivesWayButNothingKept adds more than Most writes while the
// store is away. The oldest writes of Add are dropped, and those of Keep are not.
func TestAtTheBoundTheOldestGivesWayButNothingKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged strings.Builder
		w := deferred.New(slog.New(slog.NewTextHandler(&logged, nil)))
		var done []int
		add := func(n int) deferred.Write {
			return func(context.Context) error { done = append(done, n); return nil }
		}
		w.Keep(add(-1))
		for n := range deferred.Most + 3 {
			w.Add(add(n))
		}
		w.Keep(add(-2))
		go w.Run(t.Context())
		w.Close()
		synctest.Wait()
		if len(done) != deferred.Most+2 || done[0] != -1 || done[1] != 3 || done[len(done)-1] != -2 {
			t.Errorf("%d writes were made, from %v to %d, want %d, from [-1 3] to -2", len(done), done[:2], done[len(done)-1], deferred.Most+2)
		}
		if want := "dropped=3"; strings.Count(logged.String(), want) != 1 {
			t.Errorf("the log says %q, want %q once", logged.String(), want)
		}
	})
}

func TestFlushWaitsForWhatWasAddedButNotForAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := deferred.New(slog.New(slog.DiscardHandler))
		w.Flush(t.Context()) // nothing waits
		gate, away := make(chan struct{}), false
		var written bool
		w.Add(func(context.Context) error {
			<-gate
			if away {
				return store.ErrUnavailable
			}
			written = true
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go w.Run(ctx)
		go func() { _ = wait.For(ctx, time.Second); close(gate) }()
		began := time.Now()
		if w.Flush(ctx); !written || time.Since(began) != time.Second {
			t.Errorf("after %s, flush returned with the write made: %t, want %s and true", time.Since(began), written, time.Second)
		}
		away = true
		w.Add(func(context.Context) error { return store.ErrUnavailable })
		synctest.Wait()
		began = time.Now()
		if w.Flush(ctx); time.Since(began) != 0 {
			t.Errorf("flush waited %s for a store that is away, want 0", time.Since(began))
		}
	})
}

func TestAnUnhurriedWriteWaitsUntilItsPauseIsOverOrSomebodyWaits(t *testing.T) {
	for name, ends := range map[string]struct {
		by   func(ctx context.Context, w *deferred.Writes)
		want time.Duration
	}{
		"pause": {func(context.Context, *deferred.Writes) {}, time.Second},
		"flush": {func(ctx context.Context, w *deferred.Writes) { w.Flush(ctx) }, 0},
		"keep":  {func(_ context.Context, w *deferred.Writes) { w.Keep(func(context.Context) error { return nil }) }, 0},
		"close": {func(_ context.Context, w *deferred.Writes) { w.Close() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := deferred.NewUnhurried(slog.New(slog.DiscardHandler), time.Second)
				go w.Run(t.Context())
				synctest.Wait() // nothing is to do yet
				began, took := time.Now(), make(chan time.Duration, 1)
				w.Add(func(context.Context) error { took <- time.Since(began); return nil })
				synctest.Wait() // Run has begun its pause
				ends.by(t.Context(), w)
				if got := <-took; got != ends.want {
					t.Errorf("the write was made after %s, want %s", got, ends.want)
				}
			})
		})
	}
}
