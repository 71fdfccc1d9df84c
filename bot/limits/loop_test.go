package limits_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"heddle/bot/limits"
	"heddle/bot/tools"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/llm"
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
	for seed := range uint64(3) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			p := &provider{random: rand.New(rand.NewPCG(seed, 7)), seen: map[string]int64{}}
			settings := limits.Settings{
				Person: []limits.Limit{{50_000, limits.Tokens, limits.Daily}, {9, limits.Requests, limits.Hourly}}, All: []limits.Limit{{150_000, limits.Tokens, limits.Daily}}, Answer: 30_000,
			}
			names := []string{"anna", "bert", "cleo", "dora"}
			for _, name := range names {
				p.seen[name] = 0
			}
			engine, l, model := limits.Metered(t, p.answer, settings)
			var all sync.WaitGroup
			var mu sync.Mutex
			over := map[limits.Whose]int{}
			for i, name := range names {
				for range 12 {
					all.Go(func() {
						err := asks(t, l, model, limits.Who{Person: graph.UserID(i + 1), Channel: 1, Guild: 1}, name)
						if exceeded, ok := errors.AsType[*limits.ExceededError](err); ok {
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
				charged := limits.Charged(t, engine, settings.Person[0], limits.OfPerson, uint64(i+1))
				requests := limits.Charged(t, engine, settings.Person[1], limits.OfPerson, uint64(i+1))
				if seen := p.seen[name]; seen > charged || charged > settings.Person[0].Most || requests > settings.Person[1].Most {
					t.Errorf("for %s the provider saw %d tokens, but %d tokens and %d requests are charged; want no fewer tokens, and both within the limits", name, seen, charged, requests)
				}
				sum += p.seen[name]
			}
			charged := limits.Charged(t, engine, settings.All[0], limits.OfAll, 0)
			if sum > charged || charged > settings.All[0].Most || sum == 0 || len(over) == 0 {
				t.Errorf("the provider saw %d tokens, but %d are charged; refused were %v; want no fewer charged, at most %d, and some refused", sum, charged, over, settings.All[0].Most)
			}
			t.Logf("%d requests; seen %d ≤ charged %d ≤ %d; refused %v", p.asked, sum, charged, settings.All[0].Most, over)
		})
	}
}

// asks asks a question that may lead to many requests.
func asks(t *testing.T, l *limits.Limits, model *llm.Client, who limits.Who, name string) error {
	t.Helper()
	options := path.Options{MaxTokens: 300}
	helper := named{&tools.Subagent{Model: model, Options: options}, name}
	loop := tools.NewLoop(model, []tools.Tool{helper}, new(tools.Servers), tools.Limits{}, nil)
	account := l.Open(t.Context(), who)
	request := llm.Request{Tail: "Today.", Path: path.Path{Tools: loop.Offered().Own, Options: options, Turns: []path.Turn{
		{Role: path.RoleSystem, Parts: []path.Part{path.Text("Be kind.")}},
		{Role: path.RoleUser, Speaker: name, Parts: []path.Part{path.Text(strings.Repeat("a question ", 500))}},
	}}}
	_, err := loop.Run(limits.With(t.Context(), account), request, tools.Place{Account: account}, unseen{})
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

func (unseen) Append(string)  {}
func (unseen) Replace(string) {}
func (unseen) Doing(string)   {}
