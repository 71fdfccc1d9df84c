package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"heddle/graph"
	"heddle/internal/errtest"
)

func TestQueuesKeepTheOrderOfAChannelAndRunChannelsInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues[graph.ChannelID](t.Context(), slog.New(slog.DiscardHandler), 2, 10)
		var mu sync.Mutex
		var order []int
		gate := make(chan struct{})
		for i := range 5 {
			push(t, q, 1, func(context.Context) {
				<-gate
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			})
		}
		other := make(chan struct{})
		push(t, q, 2, func(context.Context) { close(other) })
		<-other // ran although channel 1 stands still
		close(gate)
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(order, want) {
			t.Errorf("channel 1 ran %v, want %v", order, want)
		}
		if len(q.lanes) != 0 {
			t.Errorf("%d channels are still served with nothing to do, want 0", len(q.lanes))
		}
	})
}

func TestQueuesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues[graph.ChannelID](t.Context(), slog.New(slog.DiscardHandler), 1, 2)
		rooms, after := 0, 0
		q.room = func() { rooms++ }
		gate := make(chan struct{})
		wait := func(context.Context) { <-gate }
		push(t, q, 1, wait)
		synctest.Wait() // it runs and waits no more
		push(t, q, 1, wait)
		push(t, q, 1, wait)
		if err := q.push(1, job{run: wait}); !errors.Is(err, errFull) {
			t.Errorf("a job over the bound: %v, want %v", err, errFull)
		}
		for channel, want := range map[graph.ChannelID]bool{1: true, 2: false} {
			if got := q.isFull(channel, asker{}); got != want {
				t.Errorf("the channel %s is full: %t, want %t", channel, got, want)
			}
		}
		push(t, q, graph.ChannelID(2), wait)
		for _, channel := range []graph.ChannelID{1, 3} {
			q.after(channel, func() { after++ })
		}
		if after != 1 {
			t.Errorf("%d are done, want what waits for no job alone", after)
		}
		close(gate)
		synctest.Wait()
		if rooms != 1 || after != 2 {
			t.Errorf("it is said %d times that there is room, and %d are done, want 1 and 2", rooms, after)
		}
	})
}

func TestClosingFinishesWhatRunsAndStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues[graph.ChannelID](t.Context(), slog.New(slog.DiscardHandler), 1, 2)
		gate, finished := make(chan struct{}), false
		push(t, q, 1, func(context.Context) { <-gate; finished = true })
		synctest.Wait()
		waiting := job{run: func(context.Context) { t.Error("a waiting job ran after close, want it dropped") }}
		errtest.None(t, q.push(1, waiting))
		go close(gate)
		q.close()
		if !finished {
			t.Error("close did not wait for the job that ran")
		}
		if err := q.push(1, job{run: func(context.Context) {}}); !errors.Is(err, errClosed) {
			t.Errorf("a job after close: %v, want %v", err, errClosed)
		}
	})
}

func push(t *testing.T, q *queues[graph.ChannelID], channel graph.ChannelID, run func(context.Context)) {
	t.Helper()
	errtest.None(t, q.push(channel, job{run: run}))
}
