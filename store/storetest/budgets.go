package storetest

import (
	"cmp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"heddle/store"
)

// budgetsHold takes from budgets concurrently until nothing is left, settles, and lets
// a budget expire.
func budgetsHold(b bench) {
	small := store.Use{Budget: "person", Amount: 3, Most: 10, TTL: time.Hour}
	large := store.Use{Budget: "guild", Amount: 3, Most: 1000, TTL: 25 * time.Hour}
	var taken atomic.Int64
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			failed, err := b.store.Budgets.Take(b.ctx, large, small)
			switch {
			case err != nil:
				b.Error(err)
			case failed == store.Applied:
				taken.Add(1)
			case failed != 1:
				b.Errorf("use %d did not fit, want the second", failed)
			}
		})
	}
	all.Wait()
	if taken.Load() != 3 {
		b.Errorf("3 of 10 were taken %d times, want 3", taken.Load())
	}
	b.used("9 9", "person", "guild")
	small.Amount, large.Amount = -4, 2000
	b.must(b.store.Budgets.Settle(b.ctx, small, large))
	b.used("5 2009 0", "person", "guild", "nobody")
	large.Amount = 1
	if failed, err := b.store.Budgets.Take(b.ctx, large); failed != 0 || err != nil {
		b.Errorf("taking from an overdrawn budget returns %d, %v, want 0", failed, err)
	}
	large.Amount = -1
	if failed, err := b.store.Budgets.Take(b.ctx, large); failed != store.Applied || err != nil {
		b.Errorf("taking from a budget that was settled returns %d, %v, want store.Applied", failed, err)
	}
	small.Amount = -100
	b.must(b.store.Budgets.Settle(b.ctx, small))
	b.used("0", "person")
	b.subject.Advance(2 * time.Hour)
	b.used("0 2008", "person", "guild")
	b.subject.Advance(48 * time.Hour)
	b.used("0 0", "person", "guild")
}

// windowsEnd takes from a budget that is full again 40 minutes after it was first taken
// from, however much is taken meanwhile.
func windowsEnd(b bench) {
	take := func(want int) {
		b.Helper()
		failed, err := b.store.Budgets.TakeUnheld(b.ctx, []string{"hold"}, store.Use{Budget: "window", Amount: 1, Most: 2, TTL: 40 * time.Minute})
		if failed != want || err != nil {
			b.Errorf("taking gives %d, %v, want %d", failed, err, want)
		}
	}
	take(store.Applied)
	b.subject.Advance(30 * time.Minute)
	take(store.Applied)
	take(0)
	b.must(b.store.Budgets.Hold(b.ctx, "hold", time.Minute))
	take(store.Held)
	b.subject.Advance(20 * time.Minute) // an engine may add an eighth
	take(store.Applied)
	b.used("1", "window")
	b.subject.Advance(39 * time.Minute)
	b.used("1", "window")
	b.subject.Advance(10 * time.Minute)
	b.used("0", "window")
}

// used checks what is used of budgets.
func (b bench) used(want string, budgets ...string) {
	b.Helper()
	keys := make([]store.Key, len(budgets))
	for i, budget := range budgets {
		keys[i] = store.Key{Scope: "_budgets", Name: budget}
	}
	values, err := b.subject.Engine.Get(b.ctx, keys...)
	b.must(err)
	used := make([]string, len(values))
	for i, value := range values {
		used[i] = cmp.Or(string(value), "0")
	}
	if got := strings.Join(used, " "); got != want {
		b.Errorf("%v are used by %s, want %s", budgets, got, want)
	}
}
