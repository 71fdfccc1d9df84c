package storetest

import (
	"fmt"
	"strings"
	"time"

	"heddle/graph"
	"heddle/store"
)

func overrides(b bench) {
	chosen, few := b.store.Overrides(), 3
	is := func(want string) {
		b.Helper()
		all, err := chosen.All(b.ctx)
		b.must(err)
		var lines []string
		for _, o := range all {
			lines = append(lines, fmt.Sprintf("%d/%d %s %t", o.Guild, o.Channel, o.Persona, o.MaxTotal != nil))
		}
		if got := strings.Join(lines, ", "); got != want {
			b.Errorf("chosen is %q, want %q", got, want)
		}
	}
	is("")
	b.must(chosen.Set(b.ctx, store.Overridden{Guild: 1, Override: store.Override{Persona: "a heron", Model: "large"}}))
	b.must(chosen.Set(b.ctx, store.Overridden{Guild: 1, Channel: 5, Override: store.Override{Persona: "a secretive heron", MaxTotal: &few}}))
	b.must(chosen.Set(b.ctx, store.Overridden{Channel: 9, Override: store.Override{Persona: "a wren"}}))
	b.must(chosen.Set(b.ctx, store.Overridden{Guild: 2, Channel: 5, Override: store.Override{Persona: "a crow"}}))
	is("0/9 a wren false, 1/0 a heron false, 1/5 a secretive heron true, 2/5 a crow false")
	found, err := chosen.Of(b.ctx, 1, 0, 5, 6)
	b.must(err)
	if over := store.Overlaid(found[1], found[0]); over.Persona != "a secretive heron" || over.Model != "large" || *over.MaxTotal != few || found[2] != (store.Override{}) {
		b.Errorf("the override of the channel is %+v and the third %+v, want that of the channel over that of the guild, and an empty one", over, found[2])
	}
	if !b.subject.Readable && strings.Contains(string(b.subject.Dump()), "secretive") {
		b.Error("a persona can be read in the stored bytes")
	}
	b.subject.Advance(400 * 24 * time.Hour)
	is("0/9 a wren false, 1/0 a heron false, 1/5 a secretive heron true, 2/5 a crow false")
	b.must(chosen.Set(b.ctx, store.Overridden{Guild: 2, Channel: 5}))
	is("0/9 a wren false, 1/0 a heron false, 1/5 a secretive heron true")
	b.must(b.store.Deletions.ForgetGuild(b.ctx, 1))
	is("0/9 a wren false")
	b.must(chosen.Set(b.ctx, store.Overridden{Guild: 1, Override: store.Override{Persona: "a gull"}}))
	is("0/9 a wren false, 1/0 a gull false")
}

func pauses(b bench) {
	is := func(guild graph.GuildID, want string) {
		b.Helper()
		everywhere, here, err := b.store.Pauses().Paused(b.ctx, guild)
		b.must(err)
		if got := fmt.Sprint(everywhere, " ", here); got != want {
			b.Errorf("everywhere and in guild %d heddle is paused: %s, want %s", guild, got, want)
		}
	}
	is(1, "false false")
	b.must(b.store.Pauses().Pause(b.ctx, 1))
	is(1, "false true")
	is(2, "false false")
	is(0, "false false")
	b.must(b.store.Pauses().Pause(b.ctx, 0))
	is(2, "true false")
	is(0, "true false")
	b.must(b.store.Pauses().Resume(b.ctx, 0))
	is(1, "false true")
	b.must(b.store.Deletions.ForgetGuild(b.ctx, 1))
	is(1, "false false")
}

func spending(b bench) {
	s := b.store.Spending()
	now := time.Date(2026, 3, 31, 23, 0, 0, 0, time.UTC)
	ann, everybody := store.Spender{Person: 1}, store.Spender{}
	once := store.Spent{Answers: 1, Prompt: 100, Cached: 40, Completion: 7, Micros: 12}
	b.must(s.Add(b.ctx, now, once, ann, store.Spender{Guild: 1}, everybody))
	b.must(s.Add(b.ctx, now, once, store.Spender{Person: 2}, everybody))
	b.must(s.Add(b.ctx, now.Add(-48*time.Hour), once, ann))
	day, month, err := s.Of(b.ctx, now, ann)
	b.must(err)
	if day != once || month != (store.Spent{Answers: 2, Prompt: 200, Cached: 80, Completion: 14, Micros: 24}) {
		b.Errorf("Ann's spending is %+v on the day and %+v in the month, want %+v and twice as much", day, month, once)
	}
	if day, _, _ := s.Of(b.ctx, now, everybody); day.Answers != 2 {
		b.Errorf("everybody's spending on the day is %+v, want 2 answers", day)
	}
	if day, month, _ := s.Of(b.ctx, now.Add(2*time.Hour), ann); day != (store.Spent{}) || month != (store.Spent{}) {
		b.Errorf("in the next month Ann's spending is %+v, %+v, want none", day, month)
	}
	b.must(func() error {
		_, err := b.store.Budgets.Take(b.ctx, store.Use{Budget: "a", Amount: 3, TTL: time.Hour})
		return err
	}())
	if used, err := b.store.Budgets.Used(b.ctx, "a", "b"); err != nil || used[0] != 3 || used[1] != 0 {
		b.Errorf("the budgets are used by %v, %v, want 3 and 0", used, err)
	}
}
