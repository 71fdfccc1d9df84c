package dispatch

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"heddle/bot/deferred"
	"heddle/graph"
	"heddle/internal/wait"
)

func TestReactionsTakeOnePlaceBehindAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues[graph.ChannelID](t.Context(), slog.New(slog.DiscardHandler), 1, 2)
		d := &Dispatcher{after: newAfter(deferred.New(slog.New(slog.DiscardHandler))), queues: q}
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
		go d.after.writes.Run(t.Context())
		synctest.Wait()
		if len(written) != 0 {
			t.Errorf("%d are written before the answer is over, want 0", len(written))
		}
		close(gate)
		synctest.Wait()
		d.after.writes.Close()
		synctest.Wait()
		if len(written) != 101 || !slices.IsSorted(written) {
			t.Errorf("written are %v, want 101 in order", written)
		}
	})
}

// TestReactionsWaitForTheAnswerAlsoWhereNothingMayQueue reacts while a channel's queue
// is full, and while heddle stops.
func TestReactionsWaitForTheAnswerAlsoWhereNothingMayQueue(t *testing.T) {
	for name, most := range map[string]int{"a full queue": 1, "at the end": 2} {
		synctest.Test(t, func(t *testing.T) {
			log := slog.New(slog.DiscardHandler)
			running, stop := context.WithCancel(t.Context())
			d := &Dispatcher{
				asking: &asking{ledger: &ledger{writes: deferred.New(log)}}, after: newAfter(deferred.New(log)), tasks: &performer{delays: newDelays()}, stop: stop,
				queues:  newQueues[graph.ChannelID](t.Context(), log, 1, most),
				presses: newQueues[press](t.Context(), log, 1, 1),
			}
			d.running.Go(func() { d.tasks.delays.run(running, d.queues.push) })
			gate := make(chan struct{})
			var order []string
			push(t, d.queues, 1, func(context.Context) { <-gate; order = append(order, "answer") })
			synctest.Wait() // the answer is under way
			push(t, d.queues, 1, func(context.Context) {})
			d.After(1, func(context.Context) error { order = append(order, "reaction"); return nil })
			go d.after.writes.Run(t.Context())
			if most == 2 {
				go d.Stop()
			}
			synctest.Wait()
			close(gate)
			_ = wait.For(t.Context(), 2*deferred.Retry)
			synctest.Wait()
			if !slices.Equal(order, []string{"answer", "reaction"}) {
				t.Errorf("%s: the order is %q, want %q", name, order, []string{"answer", "reaction"})
			}
			if most == 1 {
				d.Stop()
			}
			d.after.writes.Close()
		})
	}
}
