package limits

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
	"heddle/store"
	"heddle/store/bolt"
)

// metered returns Limits in a store of their own, and a model that they meter.
func metered(t *testing.T, script func(openaitest.Request) openaitest.Reply, settings Settings) (store.Engine, *Limits, *llm.Client) { //nolint:ireturn // a test's
	t.Helper()
	server := errtest.Must(openaitest.Start(openaitest.Config{Script: script}))(t)
	t.Cleanup(func() { _ = server.Close() })
	engine := errtest.Must(bolt.Open(bolt.Options{Dir: t.TempDir()}))(t)
	kept := store.New(engine, store.Options{})
	t.Cleanup(func() { _ = kept.Close() })
	l := New(kept.Budgets, guilds.New(nil), nil, llm.NewCounter("test-model").Request, settings, new(discord.Clock), slog.New(slog.DiscardHandler))
	model := errtest.Must(llm.New(llm.Config{BaseURL: server.URL(), Model: "test-model", Meter: l, Backoff: time.Millisecond}))(t)
	t.Cleanup(model.Close)
	return engine, l, model
}

// taking returns a request that takes so many tokens at most, if those sent are not counted.
func taking(tokens int) *llm.Request {
	return &llm.Request{Path: path.Path{Options: path.Options{MaxTokens: tokens}}}
}

// used returns how much of a budget is used.
func used(t *testing.T, engine store.Engine, of owned) int64 {
	t.Helper()
	name, _ := of.window(time.Now())
	counted := errtest.Must(store.New(engine, store.Options{}).Budgets.Used(t.Context(), name))(t)
	return counted[0]
}

func TestARequestWithoutAnAccountIsNotMade(t *testing.T) {
	_, _, model := metered(t, func(openaitest.Request) openaitest.Reply { return openaitest.Answer("free") }, Settings{})
	answer, err := model.Stream(t.Context(), llm.Request{}, nil)
	if !errors.Is(err, errUnpaid) || llm.KindOf(err) != llm.Limited || answer.Text != "" {
		t.Errorf("the model answers %q, %v, want nothing and %v", answer.Text, err, errUnpaid)
	}
}

func TestRolesReplaceThePersonsLimits(t *testing.T) {
	hour := func(n int64) Limit { return Limit{n, Requests, Hourly} }
	day := Limit{1000, Tokens, Daily}
	settings := Settings{
		Person: []Limit{hour(1)},
		Roles:  map[graph.RoleID][]Limit{1: {hour(5), day}, 2: {hour(9)}, 3: nil},
	}
	unreachable := discord.NewREST(discord.RESTConfig{BaseURL: "http://127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	known := guilds.New(unreachable)
	l := New(nil, known, nil, nil, settings, nil, slog.New(slog.DiscardHandler))
	ended, end := context.WithCancel(t.Context())
	end()
	person := graph.UserID(0)
	for name, test := range map[string]struct {
		roles   []graph.RoleID
		unknown bool
		want    []Limit
	}{
		"no role":                  {nil, false, []Limit{hour(1)}},
		"a role without limits":    {[]graph.RoleID{7}, false, []Limit{hour(1)}},
		"a role":                   {[]graph.RoleID{7, 1}, false, []Limit{hour(5), day}},
		"the most generous of two": {[]graph.RoleID{1, 2}, false, []Limit{hour(9)}},
		"the two the other way":    {[]graph.RoleID{2, 1}, false, []Limit{hour(9)}},
		"a role that is free":      {[]graph.RoleID{1, 3}, false, nil},
		"roles that are not known": {nil, true, []Limit{hour(1)}},
	} {
		person++
		if !test.unknown {
			known.Met(3, 2, person, &discord.Member{Roles: test.roles})
		}
		got := l.ofPerson(ended, Who{Guild: 3, Person: person})
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("with %s a person has the limits %v, want %v", name, got, test.want)
		}
	}
}

// TestWhatIsChargedCountsUntilItsWindowEnds charges at the beginning, in the middle and at the
// end of a window.
func TestWhatIsChargedCountsUntilItsWindowEnds(t *testing.T) {
	begin := time.Unix(1_800_000_000, 0).Truncate(Hourly)
	for _, past := range []time.Duration{0, Hourly / 2, Hourly - time.Second} {
		of := owned{Limit{9, Requests, Hourly}, OfPerson, 1}
		_, until := of.window(begin.Add(past))
		if kept := past + of.use(begin.Add(past), 1, 0).TTL; kept < Hourly || kept > 2*Hourly || !until.Equal(begin.Add(Hourly)) {
			t.Errorf("what is charged %s into a window is kept for %s of it, and counts until %s, want until its end", past, kept, until)
		}
	}
}

// away is an engine that may be away.
type away struct {
	store.Engine

	away bool
}

// over makes Limits use a store over an engine that may be away.
func (l *Limits) over(engine store.Engine) *away {
	a := &away{Engine: engine}
	l.budgets = store.New(a, store.Options{}).Budgets
	return a
}

func (a *away) Update(ctx context.Context, changes ...store.Change) error {
	if a.away {
		return store.ErrUnavailable
	}
	return a.Engine.Update(ctx, changes...)
}

// TestLimitsHoldWhileTheStoreIsAway uses a budget before, during and after an outage of
// the store.
func TestLimitsHoldWhileTheStoreIsAway(t *testing.T) {
	engine, l, model := metered(t, func(openaitest.Request) openaitest.Reply { return openaitest.Answer("yes") }, Settings{Person: []Limit{{3, Requests, Daily}}})
	outage := l.over(engine)
	ask := func() error {
		ctx := With(t.Context(), l.Open(t.Context(), Who{Person: 1}))
		_, err := model.Stream(ctx, llm.Request{}, nil)
		return err
	}
	for i, isAway := range []bool{false, true, true, true, false} {
		outage.away = isAway
		err := ask()
		exceeded, over := errors.AsType[*ExceededError](err)
		if want := i == 3; over != want || !over && err != nil {
			t.Errorf("request %d fails with %v, want only request 4 to exceed the limit", i+1, err)
		}
		if over && (exceeded.Whose != OfPerson || exceeded.Until.Before(time.Now()) || exceeded.Until.After(time.Now().Add(Daily))) {
			t.Errorf("request %d fails with %+v, want the person's limit, until the end of the day", i+1, exceeded)
		}
	}
}

// TestARefusedRequestTakesNothing makes requests of which some are refused. Those take
// nothing of any limit, and the answer counts as one request, whichever is made first.
func TestARefusedRequestTakesNothing(t *testing.T) {
	requests, tokens := Limit{5, Requests, Daily}, Limit{1000, Tokens, Daily}
	engine, l, _ := metered(t, nil, Settings{Person: []Limit{requests, tokens}, Answer: 5000})
	l.count = func(context.Context, *llm.Request) int { return 0 }
	account := l.Open(t.Context(), Who{Person: 1})
	for i, n := range []int{2000, 100, 2000, 100, 2000, 100} {
		if _, err := l.Reserve(With(t.Context(), account), taking(n)); (err != nil) != (n == 2000) {
			t.Errorf("request %d of %d tokens fails with %v, want only those of 2000 to fail", i+1, n, err)
		}
	}
	l.over(engine).away = true
	if _, err := l.Reserve(With(t.Context(), l.Open(t.Context(), Who{Person: 1})), taking(700)); err != nil {
		t.Errorf("while the store is away, a request of 700 tokens fails with %v, want it to fit beside those that were not refused", err)
	}
	left, _ := account.Left()
	if asked, taken := used(t, engine, owned{requests, OfPerson, 1}), used(t, engine, owned{tokens, OfPerson, 1}); asked != 1 || taken != 300 || left != 4700 {
		t.Errorf("%d requests and %d tokens are charged, and %d are left for the answer, want 1, 300 and 4700", asked, taken, left)
	}
}

// TestAChargeThatTheStoreNeverSawIsNotCorrectedThere makes two requests, the second while
// the store is away. The provider tells what it took when the store is back.
func TestAChargeThatTheStoreNeverSawIsNotCorrectedThere(t *testing.T) {
	tokens := Limit{1000, Tokens, Daily}
	engine, l, _ := metered(t, nil, Settings{Person: []Limit{tokens}})
	outage := l.over(engine)
	l.count = func(context.Context, *llm.Request) int { return 0 }
	for _, outage.away = range []bool{false, true} {
		settle := errtest.Must(l.Reserve(With(t.Context(), l.Open(t.Context(), Who{Person: 1})), taking(400)))(t)
		outage.away = false
		settle(llm.Spent{Usage: llm.Usage{Prompt: 50}, Known: true})
	}
	if n := used(t, engine, owned{tokens, OfPerson, 1}); n != 50 {
		t.Errorf("the store counts %d tokens, want the 50 of the first request", n)
	}
	settle := errtest.Must(l.Reserve(With(t.Context(), l.Open(t.Context(), Who{Person: 1})), taking(400)))(t)
	settle(llm.Spent{Usage: llm.Usage{Prompt: 5000}, Known: true})
	if all, err := l.Standings(t.Context(), Who{Person: 1}); err != nil || all[0].Used != tokens.Most {
		t.Errorf("people read %+v, %v, want no more used than there is", all, err)
	}
}

// TestAnAnswerGivenWithoutTheModelIsNoRequest makes a request for an answer that is
// then found in the store. The answer is not counted, and the request's tokens stay
// charged.
func TestAnAnswerGivenWithoutTheModelIsNoRequest(t *testing.T) {
	requests, tokens := Limit{2, Requests, Daily}, Limit{1000, Tokens, Daily}
	engine, l, _ := metered(t, nil, Settings{Person: []Limit{requests, tokens}})
	l.count = func(context.Context, *llm.Request) int { return 0 }
	for i := range 4 {
		account := l.Open(t.Context(), Who{Person: 1})
		for range 2 {
			settle, err := l.Reserve(With(t.Context(), account), taking(20))
			if err != nil {
				t.Fatalf("reserving for answer %d: %v, want no error", i+1, err)
			}
			settle(llm.Spent{Usage: llm.Usage{Prompt: 10}, Known: true})
		}
		account.RefundRequest(t.Context())
		account.RefundRequest(t.Context())
	}
	if got := used(t, engine, owned{requests, OfPerson, 1}); got != 0 {
		t.Errorf("answers without the model count as %d requests, want 0", got)
	}
	if got := used(t, engine, owned{tokens, OfPerson, 1}); got != 80 {
		t.Errorf("%d tokens are charged, want 80", got)
	}
	budget, _ := (&owned{requests, OfPerson, 1}).window(time.Now())
	if counted, _ := l.local.used.Get(budget); counted != 0 {
		t.Error("this process still counts requests that were taken back")
	}
}

// TestARequestIsChargedToThePlaces makes a request, and one that its channel may not make.
func TestARequestIsChargedToThePlaces(t *testing.T) {
	requests, tokens := Limit{2, Requests, Daily}, Limit{100, Tokens, Daily}
	all := []Limit{requests, tokens}
	engine, l, _ := metered(t, nil, Settings{Channel: all, Guild: all, All: all})
	l.count = func(context.Context, *llm.Request) int { return 0 }
	ctx := With(t.Context(), l.Open(t.Context(), Who{Person: 1, Channel: 2, Guild: 3}))
	settle, err := l.Reserve(ctx, taking(50))
	errtest.None(t, err)
	settle(llm.Spent{Usage: llm.Usage{Prompt: 60}, Known: true})
	for whose, id := range map[Whose]uint64{OfChannel: 2, OfGuild: 3, OfAll: 0} {
		if took, asked := used(t, engine, owned{tokens, whose, id}), used(t, engine, owned{requests, whose, id}); took != 60 || asked != 1 {
			t.Errorf("subject %d is charged %d tokens and %d requests, want 60 and 1", whose, took, asked)
		}
	}
	_, err = l.Reserve(ctx, taking(100))
	if exceeded, ok := errors.AsType[*ExceededError](err); !ok || exceeded.Whose != OfChannel {
		t.Errorf("a request that does not fit fails with %v, want the channel's limit", err)
	}
}
