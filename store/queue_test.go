package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"heddle/internal/wait"
	"heddle/store"
)

func TestAQueueWritesInOrderAndTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := store.NewQueue(slog.New(slog.DiscardHandler))
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
		_ = wait.For(t.Context(), 10*store.Retry)
		w.Close()
		synctest.Wait()
		if want := []int{0, 1, 3}; !slices.Equal(done, want) {
			t.Errorf("the writes made are %v, want %v", done, want)
		}
	})
}

func TestAQueueTriesEverythingOnceMoreAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := store.NewQueue(slog.New(slog.DiscardHandler))
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

func TestAQueueStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := store.NewQueue(slog.New(slog.DiscardHandler))
		w.Add(func(context.Context) error { return store.ErrUnavailable })
		go func() { synctest.Wait(); cancel() }()
		w.Run(ctx)
	})
}

func TestFlushWaitsForWhatWasAddedButNotForAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := store.NewQueue(slog.New(slog.DiscardHandler))
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
