package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

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
		w.close()
		w.run(t.Context())
		if want := []int{0, 1, 3}; !slices.Equal(done, want) {
			t.Errorf("written: %v, want %v", done, want)
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
