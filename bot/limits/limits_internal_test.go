package limits

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"heddle/bot/tools"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/llm"
	"heddle/store"
	"heddle/store/bolt"
)

// provider is a model's provider that fails, calls tools and answers at random. It
// counts the tokens that it saw for each person.
type provider struct {
	mu     sync.Mutex
	random *rand.Rand
	seen   map[string]int64
	asked  int
}

// answer returns the reply to a request. Failed requests count as seen.
func (p *provider) answer(r openaitest.Request) openaitest.Reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	const bytesPerToken = 4
	usage := openaitest.Usage{Prompt: len(r.Body) / bytesPerToken, Completion: 1 + p.random.IntN(200)}
	reply := openaitest.Answer(strings.Repeat("word ", usage.Completion))
	switch p.random.IntN(8) {
	case 0:
		reply = openaitest.Fail(openaitest.Failure{Status: 500})
	case 1:
		reply = openaitest.Fail(openaitest.Failure{Status: 429})
		usage = openaitest.Usage{} // it refused the request before reading it
	case 2:
		reply.End = openaitest.EndAbort
	case 3, 4, 5:
		var calls []openaitest.ToolCall
		for i := range 1 + p.random.IntN(8) {
			calls = append(calls, openaitest.ToolCall{
				ID: strconv.Itoa(i), Name: tools.NameSubagent,
				Arguments: fmt.Sprintf(`{"task":"%s %d %d"}`, strings.Repeat("long work ", p.random.IntN(500)), p.asked, i),
			})
		}
		reply = openaitest.Call(calls...)
	}
	reply.Usage = &usage
	p.asked++
	for name := range p.seen {
		if strings.Contains(string(r.Body), name) {
			p.seen[name] += int64(usage.Prompt + usage.Completion)
		}
	}
	return reply
}

// TestNobodyUsesMoreThanTheyMay lets four people ask repeatedly at the same time. The
// tokens that the provider saw must be those that were charged, and within the limits.
func TestNobodyUsesMoreThanTheyMay(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			p := &provider{random: rand.New(rand.NewPCG(seed, 7)), seen: map[string]int64{}}
			settings := Settings{
				Person: []Limit{{50_000, Tokens, Daily}, {9, Requests, Hourly}}, All: []Limit{{150_000, Tokens, Daily}}, Answer: 30_000,
			}
			names := []string{"anna", "bert", "cleo", "dora"}
			for _, name := range names {
				p.seen[name] = 0
			}
			engine, l, model := metered(t, p.answer, settings)
			var all sync.WaitGroup
			var mu sync.Mutex
			over := map[Whose]int{}
			for i, name := range names {
				for range 12 {
					all.Go(func() {
						err := asks(t, l, model, Who{Person: graph.UserID(i + 1), Channel: 1, Guild: 1}, name)
						if exceeded, ok := errors.AsType[*ExceededError](err); ok {
							mu.Lock()
							over[exceeded.Whose]++
							mu.Unlock()
						}
					})
				}
			}
			all.Wait()
			var sum int64
			for i, name := range names {
				charged := used(t, engine, subject{whose: OfPerson, id: uint64(i + 1)}, settings.Person[0])
				requests := used(t, engine, subject{whose: OfPerson, id: uint64(i + 1)}, settings.Person[1])
				if seen := p.seen[name]; seen > charged || charged > settings.Person[0].Most || requests > settings.Person[1].Most {
					t.Errorf("for %s the provider saw %d tokens, but %d tokens and %d requests are charged; want no fewer tokens, and both within the limits", name, seen, charged, requests)
				}
				sum += p.seen[name]
			}
			charged := used(t, engine, subject{whose: OfAll}, settings.All[0])
			if sum > charged || charged > settings.All[0].Most || sum == 0 || len(over) == 0 {
				t.Errorf("the provider saw %d tokens, but %d are charged; refused were %v; want no fewer charged, at most %d, and some refused", sum, charged, over, settings.All[0].Most)
			}
			t.Logf("%d requests; seen %d ≤ charged %d ≤ %d; refused %v", p.asked, sum, charged, settings.All[0].Most, over)
		})
	}
}

// metered returns Limits in a store of their own, and a model that they meter.
func metered(t *testing.T, script func(openaitest.Request) openaitest.Reply, settings Settings) (store.Engine, *Limits, *llm.Client) { //nolint:ireturn // a test's
	t.Helper()
	server, err := openaitest.Start(openaitest.Config{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	engine, err := bolt.Open(bolt.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	kept := store.New(engine, store.Options{})
	t.Cleanup(func() { _ = kept.Close() })
	l := New(kept.Budgets, nil, llm.CountFunc(llm.NewCounter("test-model").Turn).Request, settings, time.Now, slog.New(slog.DiscardHandler))
	model, err := llm.New(llm.Config{BaseURL: server.URL(), Model: "test-model", Meter: l, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return engine, l, model
}

// asks asks a question that may lead to many requests.
func asks(t *testing.T, l *Limits, model *llm.Client, who Who, name string) error {
	t.Helper()
	options := path.Options{MaxTokens: 300}
	helper := named{&tools.Subagent{Model: model, Options: options}, name}
	loop := tools.NewLoop(model, []tools.Tool{helper}, tools.Limits{}, nil)
	account := l.Open(t.Context(), who)
	request := llm.Request{Tail: "Today.", Path: path.Path{Tools: loop.Specs(), Options: options, Turns: []path.Turn{
		{Role: path.RoleSystem, Parts: []path.Part{path.Text("Be kind.")}},
		{Role: path.RoleUser, Speaker: name, Parts: []path.Part{path.Text(strings.Repeat("a question ", 500))}},
	}}}
	_, err := loop.Run(With(t.Context(), account), request, tools.Place{Purse: account}, unseen{})
	return err
}

// named is a tool whose helper names the asker in its task, so that the provider can
// count for them.
type named struct {
	tools.Tool

	name string
}

func (n named) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	call.Arguments = []byte(strings.Replace(string(call.Arguments), `"task":"`, `"task":"for `+n.name+": ", 1))
	return n.Tool.Call(ctx, call)
}

type unseen struct{}

func (unseen) Append(string) {}
func (unseen) Doing(string)  {}

// used returns how much of a budget is used.
func used(t *testing.T, engine store.Engine, s subject, limit Limit) int64 {
	t.Helper()
	name := s.budget(limit, time.Now().Truncate(limit.Per))
	values, err := engine.Get(t.Context(), store.Key{Scope: "_budgets", Name: name})
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.ParseInt(string(values[0]), 10, 64)
	return n
}

func TestARequestWithoutAnAccountIsNotMade(t *testing.T) {
	t.Parallel()
	_, _, model := metered(t, func(openaitest.Request) openaitest.Reply { return openaitest.Answer("free") }, Settings{})
	answer, err := model.Stream(t.Context(), llm.Request{}, nil)
	if !errors.Is(err, ErrUnpaid) || llm.KindOf(err) != llm.Limited || answer.Text != "" {
		t.Errorf("the model answers %q, %v, want nothing and %v", answer.Text, err, ErrUnpaid)
	}
}

func TestTokensAreCountedExactlyOnlyIfTheyMightNotFit(t *testing.T) {
	exact, quick, counted := 99, 400, 0
	count := func(ctx context.Context, _ *llm.Request) int {
		if counted++; ctx.Err() != nil {
			return quick // cut short
		}
		return exact
	}
	settings := Settings{Answer: 1000, AtMost: func(*llm.Request) int { return quick }}
	l := New(nil, nil, count, settings, time.Now, slog.New(slog.DiscardHandler))
	request := &llm.Request{Path: path.Path{Options: path.Options{MaxTokens: 1}}}
	charged := func(what string, a *Account, tokens, times int) {
		t.Helper()
		if left, _ := a.Left(); left != settings.Answer-tokens || counted != times {
			t.Errorf("%s: %d tokens are left of %d, want %d taken; counted %d times, want %d", what, left, settings.Answer, tokens, counted, times)
		}
	}
	a := l.Open(t.Context(), Who{Person: 1})
	asking, end := context.WithCancel(t.Context())
	settle, err := l.Reserve(With(asking, a), request)
	if err != nil {
		t.Fatal(err)
	}
	charged("a request that surely fits", a, 401, 0)
	settle(llm.Spent{})
	end()
	if counted != 0 {
		t.Errorf("a request of which the provider does not say what it took is counted before anybody needs the number")
	}
	charged("its use is not known", a, 100, 1)
	quick = 5000
	if settle, err = l.Reserve(With(t.Context(), a), request); err != nil {
		t.Fatal(err)
	}
	charged("a request that might not fit", a, 200, 2)
	settle(llm.Spent{Usage: llm.Usage{Prompt: 50, Completion: 1}, Known: true})
	charged("its use is known", a, 151, 2)
	exact = 5000
	if _, err := l.Reserve(With(t.Context(), a), request); !errors.As(err, new(*ExceededError)) {
		t.Errorf("a request that does not fit is allowed: %v", err)
	}
	charged("a request that does not fit", a, 151, 3)

	settings.Person = []Limit{{Most: 10_000, Of: Tokens, Per: Hourly}}
	settings.Answer, exact, counted = 0, 99, 0
	_, l, _ = metered(t, nil, settings)
	l.count = count
	a = l.Open(t.Context(), Who{Person: 1})
	if _, err := l.Reserve(With(t.Context(), a), request); err != nil || counted != 1 {
		t.Errorf("if people's tokens are limited, they are counted %d times, want 1: %v", counted, err)
	}
}

func TestRolesReplaceThePersonsLimits(t *testing.T) {
	t.Parallel()
	hour := func(n int64) Limit { return Limit{n, Requests, Hourly} }
	day := Limit{1000, Tokens, Daily}
	settings := Settings{
		Person: []Limit{hour(1)},
		Roles:  map[graph.RoleID][]Limit{1: {hour(5), day}, 2: {hour(9)}, 3: nil},
	}
	l := New(nil, nil, nil, settings, time.Now, slog.New(slog.DiscardHandler))
	for name, test := range map[string]struct {
		roles []graph.RoleID
		err   error
		want  []Limit
	}{
		"no role":                  {nil, nil, []Limit{hour(1)}},
		"a role without limits":    {[]graph.RoleID{7}, nil, []Limit{hour(1)}},
		"a role":                   {[]graph.RoleID{7, 1}, nil, []Limit{hour(5), day}},
		"the most generous of two": {[]graph.RoleID{1, 2}, nil, []Limit{hour(9)}},
		"a role that is free":      {[]graph.RoleID{1, 3}, nil, nil},
		"roles that are not known": {nil, errors.New("Discord is away"), []Limit{hour(1)}},
	} {
		got := l.ofPerson(t.Context(), Who{Roles: func(context.Context) ([]graph.RoleID, error) { return test.roles, test.err }})
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("with %s a person has the limits %v, want %v", name, got, test.want)
		}
	}
}

// away is a store that cannot be reached while it is set.
type away struct {
	Budgets

	away bool
}

func (a *away) Take(ctx context.Context, uses ...store.Use) (int, error) {
	if a.away {
		return 0, store.ErrUnavailable
	}
	return a.Budgets.Take(ctx, uses...)
}

// TestLimitsHoldWhileTheStoreIsAway uses a budget before, during and after an outage of
// the store.
func TestLimitsHoldWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	_, l, model := metered(t, func(openaitest.Request) openaitest.Reply { return openaitest.Answer("yes") }, Settings{Person: []Limit{{3, Requests, Daily}}})
	outage := &away{Budgets: l.budgets}
	l.budgets = outage
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

// TestAnAnswerGivenWithoutTheModelIsNoRequest makes a request for an answer that is
// then found in the store. The answer is not counted, and the request's tokens stay
// charged.
func TestAnAnswerGivenWithoutTheModelIsNoRequest(t *testing.T) {
	t.Parallel()
	requests, tokens := Limit{2, Requests, Daily}, Limit{1000, Tokens, Daily}
	engine, l, _ := metered(t, nil, Settings{Person: []Limit{requests, tokens}})
	for i := range 4 {
		account := l.Open(t.Context(), Who{Person: 1})
		for range 2 {
			settle, err := l.ReserveTexts(With(t.Context(), account), []string{"a question"})
			if err != nil {
				t.Fatalf("reserving vectors for answer %d: %v, want no error", i+1, err)
			}
			settle(llm.Spent{Usage: llm.Usage{Prompt: 10}, Known: true})
		}
		account.Unasked(t.Context())
		account.Unasked(t.Context())
	}
	if got := used(t, engine, subject{whose: OfPerson, id: 1}, requests); got != 0 {
		t.Errorf("answers without the model count as %d requests, want 0", got)
	}
	if got := used(t, engine, subject{whose: OfPerson, id: 1}, tokens); got != 80 {
		t.Errorf("%d tokens are charged, want 80", got)
	}
	if l.local.usedLocked(time.Now(), (&subject{whose: OfPerson, id: 1}).budget(requests, time.Now().Truncate(Daily))) != 0 {
		t.Error("this process still counts requests that were taken back")
	}
}

// TestRequestsWithoutAnAskerAreChargedToThePlace makes a request for a channel in which
// nobody asks.
func TestRequestsWithoutAnAskerAreChargedToThePlace(t *testing.T) {
	t.Parallel()
	requests, tokens := Limit{1, Requests, Daily}, Limit{100, Tokens, Daily}
	all := []Limit{requests, tokens}
	engine, l, _ := metered(t, nil, Settings{Person: []Limit{{1, Tokens, Daily}}, Channel: all, Guild: all, All: all})
	ctx := With(t.Context(), l.Open(t.Context(), Who{Channel: 2, Guild: 3}))
	settle, err := l.ReserveTexts(ctx, []string{"some words", "and others"})
	if err != nil {
		t.Fatal(err)
	}
	settle(llm.Spent{Usage: llm.Usage{Prompt: 60}, Known: true})
	for _, s := range []subject{{whose: OfChannel, id: 2}, {whose: OfGuild, id: 3}, {whose: OfAll}} {
		if got := used(t, engine, s, tokens); got != 60 {
			t.Errorf("subject %d is charged %d tokens, want 60", s.whose, got)
		}
		if got := used(t, engine, s, requests); got != 0 {
			t.Errorf("subject %d is charged %d requests, want none", s.whose, got)
		}
	}
	exceeded, ok := errors.AsType[*ExceededError](func() error {
		_, err := l.ReserveTexts(ctx, []string{strings.Repeat("many words ", 100)})
		return err
	}())
	if !ok || exceeded.Whose != OfChannel {
		t.Errorf("a request that does not fit fails with %v, want the channel's limit", exceeded)
	}
}
