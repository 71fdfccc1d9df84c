package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"heddle/internal/errtest"
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
	unbounded := large
	unbounded.Most = 0
	b.takes(store.Applied, small, unbounded)
	b.used("5 2009 0", "person", "guild", "nobody")
	large.Amount = 1
	b.takes(0, large) // as it is overdrawn
	large.Amount = -1
	b.takes(store.Applied, large)
	small.Amount = -100
	b.takes(store.Applied, small)
	b.used("0", "person")
	b.subject.Advance(2 * time.Hour)
	b.used("0 2008", "person", "guild")
	b.subject.Advance(48 * time.Hour)
	b.used("0 0", "person", "guild")
}

// windowsEnd takes from a budget that is full again 40 minutes after it was first taken
// from, however much is taken meanwhile.
func windowsEnd(b bench) {
	window := store.Use{Budget: "window", Amount: 1, Most: 2, TTL: 40 * time.Minute}
	b.takes(store.Applied, window)
	b.subject.Advance(30 * time.Minute)
	b.takes(store.Applied, window)
	b.takes(0, window)
	b.subject.Advance(20 * time.Minute) // an engine may add an eighth
	b.takes(store.Applied, window)
	b.used("1", "window")
}

// takes takes from budgets, and fails the test unless the first that does not fit is want.
func (b bench) takes(want int, uses ...store.Use) {
	b.Helper()
	if failed, err := b.store.Budgets.Take(b.ctx, uses...); failed != want || err != nil {
		b.Errorf("taking %+v returns %d, %v, want %d", uses, failed, err, want)
	}
}

// used checks what is used of budgets.
func (b bench) used(want string, budgets ...string) {
	b.Helper()
	all := errtest.Must(b.store.Budgets.Used(b.ctx, budgets...))(b)
	used := make([]string, len(all))
	for i, amount := range all {
		used[i] = strconv.FormatInt(amount, 10)
	}
	if got := strings.Join(used, " "); got != want {
		b.Errorf("%v are used by %s, want %s", budgets, got, want)
	}
}

func overrides(b bench) {
	chosen, few := b.store.Overrides, 3
	is := func(want string) {
		b.Helper()
		all := errtest.Must(chosen.All(b.ctx))(b)
		var lines []string
		for _, o := range all {
			lines = append(lines, fmt.Sprintf("%d/%d %s %t", o.Guild, o.Channel, o.Persona, o.MaxTotal != nil))
		}
		if got := strings.Join(lines, ", "); got != want {
			b.Errorf("chosen is %q, want %q", got, want)
		}
	}
	is("")
	errtest.None(b, chosen.Set(b.ctx, store.Overridden{Guild: 1, Override: store.Override{Persona: "a heron", Model: "large"}}))
	errtest.None(b, chosen.Set(b.ctx, store.Overridden{Guild: 1, Channel: 5, Override: store.Override{Persona: "a secretive heron", MaxTotal: &few}}))
	errtest.None(b, chosen.Set(b.ctx, store.Overridden{Channel: 9, Override: store.Override{Persona: "a wren"}}))
	errtest.None(b, chosen.Set(b.ctx, store.Overridden{Guild: 2, Channel: 5, Override: store.Override{Persona: "a crow"}}))
	is("0/9 a wren false, 1/0 a heron false, 1/5 a secretive heron true, 2/5 a crow false")
	found := errtest.Must(chosen.Of(b.ctx, 1, 0, 5, 6))(b)
	if over := store.Overlaid(found[1], found[0]); over.Persona != "a secretive heron" || over.Model != "large" || *over.MaxTotal != few || found[2] != (store.Override{}) {
		b.Errorf("the override of the channel is %+v and the third %+v, want that of the channel over that of the guild, and an empty one", over, found[2])
	}
	b.subject.Advance(400 * 24 * time.Hour)
	is("0/9 a wren false, 1/0 a heron false, 1/5 a secretive heron true, 2/5 a crow false")
	errtest.None(b, chosen.Set(b.ctx, store.Overridden{Guild: 2, Channel: 5}))
	is("0/9 a wren false, 1/0 a heron false, 1/5 a secretive heron true")
	errtest.None(b, chosen.Pause(b.ctx, 1))
	if everywhere, here, err := chosen.Paused(b.ctx, 1); everywhere || !here || err != nil {
		b.Errorf("everywhere and in the guild heddle is paused: %t, %t, %v, want the guild alone", everywhere, here, err)
	}
	errtest.None(b, b.store.Deletions.Erase(b.ctx, store.Erasure{Guild: 1}))
	if _, here, err := chosen.Paused(b.ctx, 1); here || err != nil {
		b.Errorf("in the guild that was left heddle is paused: %t, %v, want false", here, err)
	}
	is("0/9 a wren false")
	errtest.None(b, chosen.Set(b.ctx, store.Overridden{Guild: 1, Override: store.Override{Persona: "a gull"}}))
	is("0/9 a wren false, 1/0 a gull false")
}

func spending(b bench) {
	s := b.store.Budgets
	now := time.Date(2026, 3, 31, 23, 0, 0, 0, time.UTC)
	ann, everybody := store.Spender{Person: 1}, store.Spender{}
	once := store.Spent{Answers: 1, Prompt: 100, Cached: 40, Completion: 7, Micros: 12}
	errtest.None(b, s.Spend(b.ctx, now, once, ann, store.Spender{Guild: 1}, everybody))
	errtest.None(b, s.Spend(b.ctx, now, once, store.Spender{Person: 2}, everybody))
	errtest.None(b, s.Spend(b.ctx, now.Add(-48*time.Hour), once, ann))
	day, month, err := s.Spending(b.ctx, now, ann)
	errtest.None(b, err)
	if day != once || month != (store.Spent{Answers: 2, Prompt: 200, Cached: 80, Completion: 14, Micros: 24}) {
		b.Errorf("Ann's spending is %+v on the day and %+v in the month, want %+v and twice as much", day, month, once)
	}
	if day, _, _ := s.Spending(b.ctx, now, everybody); day.Answers != 2 {
		b.Errorf("everybody's spending on the day is %+v, want 2 answers", day)
	}
	if day, month, _ := s.Spending(b.ctx, now.Add(2*time.Hour), ann); day != (store.Spent{}) || month != (store.Spent{}) {
		b.Errorf("in the next month Ann's spending is %+v, %+v, want none", day, month)
	}
}
