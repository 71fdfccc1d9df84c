package dispatch

import (
	"context"
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
)

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
				if l.add(job{by: by, run: func(context.Context) { served[by] = checked(t, served[by], number) }}, most) && !waited {
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
	q := newQueues[string](t.Context(), slog.New(slog.DiscardHandler), 64, 32)
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
		s := newShares(8)
		for _, by := range test.running {
			s.begin(by)
		}
		if got := s.choose(len(test.waiting), func(i int) asker { return test.waiting[i] }); got != test.want {
			t.Errorf("%s: the next is %d, want %d", name, got, test.want)
		}
		for _, by := range test.running {
			s.end(by)
		}
		if s.free != 8 || len(s.guilds)+len(s.people) != 0 {
			t.Errorf("%s: when all is done the shares are %+v, want 8 free and nobody counted", name, s)
		}
	}
}
