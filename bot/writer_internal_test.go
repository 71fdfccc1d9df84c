package bot

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

func TestWriterWritesInOrderAndTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriter(slog.New(slog.DiscardHandler))
		var done []int
		outages := 3
		for i := range 4 {
			w.add(func(context.Context) error {
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
		go w.run(t.Context())
		_ = wait.For(t.Context(), 10*writeRetry)
		w.close()
		synctest.Wait()
		if want := []int{0, 1, 3}; !slices.Equal(done, want) {
			t.Errorf("written: %v, want %v", done, want)
		}
	})
}

func TestWriterTriesEverythingOnceMoreAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriter(slog.New(slog.DiscardHandler))
		away := true
		var tried, done int
		for range 3 {
			w.add(func(context.Context) error {
				if tried++; away {
					return store.ErrUnavailable
				}
				done++
				return nil
			})
		}
		go w.run(t.Context())
		synctest.Wait()
		began := time.Now()
		w.add(func(context.Context) error { away = false; return nil })
		w.add(func(context.Context) error { done++; return nil })
		w.close()
		synctest.Wait()
		if tried != 4 || done != 1 || time.Since(began) != 0 {
			t.Errorf("after %d tries %d are written in %s", tried, done, time.Since(began))
		}
	})
}

func TestWriterStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWriter(slog.New(slog.DiscardHandler))
		w.add(func(context.Context) error { return store.ErrUnavailable })
		go func() { synctest.Wait(); cancel() }()
		w.run(ctx)
	})
}
