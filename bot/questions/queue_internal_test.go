package questions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/wait"
)

func TestAQueueKeepsTheOrderOfAChannelAndRunsChannelsInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[graph.ChannelID](t.Context(), slog.New(slog.DiscardHandler), 2, 10, nil)
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

func TestAQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room, after := wait.NewSignal(), 0
		q := newQueue[graph.ChannelID](t.Context(), slog.New(slog.DiscardHandler), 1, 2, room)
		gate := make(chan struct{})
		hang := func(context.Context) { <-gate }
		push(t, q, 1, hang)
		synctest.Wait() // it runs and waits no more
		push(t, q, 1, hang)
		push(t, q, 1, hang)
		if err := q.push(1, job{run: hang}); !errors.Is(err, errFull) {
			t.Errorf("a job over the bound: %v, want %v", err, errFull)
		}
		for channel, want := range map[graph.ChannelID]bool{1: true, 2: false} {
			if got := q.isFull(channel, asker{}); got != want {
				t.Errorf("the channel %s is full: %t, want %t", channel, got, want)
			}
		}
		push(t, q, graph.ChannelID(2), hang)
		for _, channel := range []graph.ChannelID{1, 3} {
			q.after(channel, func() { after++ })
		}
		if after != 1 {
			t.Errorf("%d are done, want what waits for no job alone", after)
		}
		if len(room) > 0 {
			t.Error("there is room in a full queue, want none")
		}
		close(gate)
		synctest.Wait()
		if len(room) != 1 || after != 2 {
			t.Errorf("room is set: %t, and %d are done, want true and 2", len(room) == 1, after)
		}
	})
}

func TestClosingFinishesWhatRunsAndStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[graph.ChannelID](t.Context(), slog.New(slog.DiscardHandler), 1, 2, nil)
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

func push(t *testing.T, q *queue[graph.ChannelID], channel graph.ChannelID, run func(context.Context)) {
	t.Helper()
	errtest.None(t, q.push(channel, job{run: run}))
}

// TestAskersOfALaneTakeTurns compares lanes with the rule that they promise: whoever is
// new waits for at most one job of everybody else who waits, and nobody's jobs change
// their order.
func TestAskersOfALaneTakeTurns(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		l, most := &lane{turns: make(map[asker]int)}, 64
		served := map[asker]int{}             // the number of the last job taken
		overtook := map[asker]map[asker]int{} // of whoever waits: jobs of others taken since
		numbered := 0
		for range 200 {
			by := asker{guild: 1, person: graph.UserID(1 + random.IntN(4))}
			waits := func(by asker) bool { return slices.ContainsFunc(l.waiting, func(j job) bool { return j.by == by }) }
			if random.IntN(2) == 0 {
				waited := waits(by)
				numbered++
				number := numbered
				if l.isFull(by, most) {
					continue
				}
				if l.add(job{by: by, run: func(context.Context) { served[by] = checked(t, served[by], number) }}); !waited {
					overtook[by] = map[asker]int{}
				}
				continue
			}
			if len(l.waiting) == 0 {
				continue
			}
			j := l.take()
			j.run(t.Context())
			delete(overtook, j.by)
			for _, others := range overtook {
				if others[j.by]++; others[j.by] > 1 {
					t.Fatalf("seed %d: somebody waited for %d jobs of %v, want at most 1", seed, others[j.by], j.by)
				}
			}
			if waits(j.by) {
				overtook[j.by] = map[asker]int{}
			}
		}
	}
}

func checked(t *testing.T, before, number int) int {
	t.Helper()
	if number < before {
		t.Errorf("job %d ran after job %d, want them in order", number, before)
	}
	return number
}

// TestSharesLeaveRoomForOthers lets everybody hang in turn and counts what each gets.
func TestSharesLeaveRoomForOthers(t *testing.T) {
	for name, test := range map[string]struct {
		askers []asker
		want   []int
	}{
		"one person":                {[]asker{{1, 1}}, []int{32}},
		"one person in two guilds":  {[]asker{{1, 1}, {2, 1}}, []int{32, 0}},
		"a second person":           {[]asker{{1, 1}, {1, 2}}, []int{32, 16}},
		"a third in the same guild": {[]asker{{1, 1}, {1, 2}, {1, 3}}, []int{32, 16, 0}},
		"a third in another guild":  {[]asker{{1, 1}, {1, 2}, {2, 3}}, []int{32, 16, 8}},
		"people in direct messages": {[]asker{{0, 1}, {0, 2}, {0, 3}}, []int{32, 16, 8}},
		"heddle itself, then Ann":   {[]asker{{1, 0}, {2, 1}}, []int{48, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				running := shared(t, test.askers)
				for i, by := range test.askers {
					if running[by] != test.want[i] {
						t.Errorf("asker %d has %d running jobs, want %d", i, running[by], test.want[i])
					}
				}
			})
		})
	}
}

// shared returns how many jobs run of askers who come one after the other, each with more
// jobs than there are slots.
func shared(t *testing.T, askers []asker) map[asker]int {
	t.Helper()
	q := newQueue[string](t.Context(), slog.New(slog.DiscardHandler), 64, 32, nil)
	var mu sync.Mutex
	running := map[asker]int{}
	gate := make(chan struct{})
	for i, by := range askers {
		for n := range 70 {
			err := q.push(fmt.Sprintf("%d.%d", i, n), job{by: by, run: func(context.Context) {
				mu.Lock()
				running[by]++
				mu.Unlock()
				<-gate
			}})
			errtest.None(t, err)
		}
		synctest.Wait()
	}
	mu.Lock()
	counted := maps.Clone(running)
	mu.Unlock()
	close(gate)
	q.close()
	return counted
}

// TestTheNextSlotGoesToWhoHasLeast asks which of several askers comes next.
func TestTheNextSlotGoesToWhoHasLeast(t *testing.T) {
	for name, test := range map[string]struct {
		running, waiting []asker
		want             int
	}{
		"nobody has any":              {nil, []asker{{1, 1}, {2, 2}}, 0},
		"one guild has more":          {[]asker{{1, 1}, {1, 1}, {2, 2}}, []asker{{1, 3}, {2, 2}}, 1},
		"one person of a guild":       {[]asker{{1, 1}, {1, 1}, {1, 2}}, []asker{{1, 1}, {1, 2}}, 1},
		"a person in another guild":   {[]asker{{1, 1}, {2, 2}}, []asker{{1, 2}, {2, 3}}, 1},
		"direct messages share none":  {[]asker{{0, 1}, {1, 2}}, []asker{{1, 4}, {0, 3}}, 1},
		"heddle itself is a guild's":  {[]asker{{1, 0}, {1, 0}, {2, 0}}, []asker{{1, 0}, {2, 0}}, 1},
		"nobody waits":                {[]asker{{1, 1}}, nil, -1},
		"who has as many as are free": {[]asker{{1, 1}, {1, 1}, {1, 1}, {1, 1}}, []asker{{2, 1}}, -1},
	} {
		q := newQueue[int](t.Context(), slog.New(slog.DiscardHandler), 8, 1, nil)
		for _, by := range test.running {
			q.countLocked(by, 1)
		}
		for i, by := range test.waiting {
			q.lanes[i], q.ready = &lane{waiting: []job{{by: by}}}, append(q.ready, i)
		}
		if got := q.chooseLocked(); got != test.want {
			t.Errorf("%s: the next is %d, want %d", name, got, test.want)
		}
		for _, by := range test.running {
			q.countLocked(by, -1)
		}
		if q.free != 8 || len(q.guilds)+len(q.people) != 0 {
			t.Errorf("%s: when all is done %d slots are free, and %v and %v are counted, want 8 and none", name, q.free, q.guilds, q.people)
		}
	}
}
