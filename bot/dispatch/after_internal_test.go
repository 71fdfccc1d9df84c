package dispatch

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"heddle/graph"

	"heddle/bot/deferred"
)

func TestReactionsTakeOnePlaceBehindAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues[graph.ChannelID](t.Context(), slog.New(slog.DiscardHandler), 1, 2, nil)
		d := &Dispatcher{writes: deferred.New(slog.New(slog.DiscardHandler)), after: newAfter(), queues: q}
		gate := make(chan struct{})
		push(t, q, 1, func(context.Context) { <-gate })
		synctest.Wait() // the answer is under way
		var written []int
		for i := range 100 {
			d.After(1, func(context.Context) error { written = append(written, i); return nil })
		}
		push(t, q, 1, func(context.Context) { // the next question finds room
			d.After(1, func(context.Context) error { written = append(written, 100); return nil })
		})
		go d.writes.Run(t.Context())
		synctest.Wait()
		if len(written) != 0 {
			t.Errorf("%d are written before the answer is over", len(written))
		}
		close(gate)
		synctest.Wait()
		d.writes.Close()
		synctest.Wait()
		if len(written) != 101 || !slices.IsSorted(written) {
			t.Errorf("written are %v", written)
		}
	})
}
