package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/internal/leaktest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// tool is a tool called look that does what a test wants.
type tool func(context.Context, tools.Call) (tools.Result, error)

func (tool) Spec() path.Tool { return path.Tool{Name: "look", Schema: `{"type":"object"}`} }

func (t tool) Call(ctx context.Context, call tools.Call) (tools.Result, error) { return t(ctx, call) }

// answers is a tool whose results are all this text.
func answers(text string) tool {
	return func(context.Context, tools.Call) (tools.Result, error) { return tools.Result{Text: text}, nil }
}

// screen keeps what was shown.
type screen struct {
	text  strings.Builder
	doing []string
}

func (s *screen) Append(text string)  { s.text.WriteString(text) }
func (s *screen) Replace(text string) { s.text.Reset(); s.text.WriteString(text) }
func (s *screen) Doing(tool string)   { s.doing = append(s.doing, tool) }

func look(arguments string) openaitest.ToolCall {
	return openaitest.ToolCall{ID: "c", Name: "look", Arguments: arguments}
}

func serve(t *testing.T, script func(openaitest.Request) openaitest.Reply) (*openaitest.Server, *llm.Client) {
	t.Helper()
	server := errtest.Must(openaitest.Start(openaitest.Config{Script: script}))(t)
	client := errtest.Must(llm.New(llm.Config{BaseURL: server.URL(), Model: "test-model", Backoff: time.Nanosecond}))(t)
	t.Cleanup(func() {
		client.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server, client
}

func ask(t *testing.T, model *llm.Client, limits tools.Limits, with ...tools.Tool) (tools.Outcome, *screen, error) {
	t.Helper()
	loop := tools.NewLoop(model, with, new(tools.Servers), limits, nil)
	shown := &screen{}
	outcome, err := loop.Run(t.Context(), request(loop), tools.Place{}, shown)
	return outcome, shown, err
}

func request(loop *tools.Loop) llm.Request {
	return llm.Request{Tail: "Today.", Path: path.Path{Tools: loop.Offered().Own, Turns: []path.Turn{
		{Role: path.RoleSystem, Parts: []path.Part{path.Text("Be kind.")}},
		{Role: path.RoleUser, Speaker: "ann", Parts: []path.Part{path.Text("look it up")}},
	}}}
}

// results are the contents of a request's messages from tools.
func results(request openaitest.Request) []string {
	var all []string
	for _, m := range request.Chat.Messages {
		if m.Role == "tool" {
			all = append(all, m.Text())
		}
	}
	return all
}

func TestAnAnswerWithoutCallsIsAskedOnce(t *testing.T) {
	server, model := serve(t, nil)
	server.Queue(openaitest.Answer("Hello."))
	got, shown, err := ask(t, model, tools.Limits{}, answers("unused"))
	if err != nil || got.Answer.Text != "Hello." || shown.text.String() != "Hello." || got.Turns != nil || got.Requests != nil {
		t.Errorf("got %+v and %q with %v, want Answer.Text %q, Turns nil, Requests nil, %q and no error", got, shown.text.String(), err, "Hello.", "Hello.")
	}
}

func TestCallsAreMadeAndAnswered(t *testing.T) {
	server, model := serve(t, nil)
	calling := openaitest.Call(look(`{"at":"warp"}`), openaitest.ToolCall{ID: "d", Name: "look", Arguments: `{"at":"weft"}`})
	calling.Chunks = append([]openaitest.Chunk{{Text: "Let me look."}}, calling.Chunks...)
	server.Queue(calling, openaitest.Answer("It is ", "blue."))
	got, shown, err := ask(t, model, tools.Limits{}, tool(func(_ context.Context, call tools.Call) (tools.Result, error) {
		return tools.Result{Text: "blue is the " + string(call.Arguments), Once: true, Usage: llm.Usage{Prompt: 100}}, nil
	}))
	errtest.None(t, err)
	const whole = "Let me look.\n\nIt is blue."
	if got.Answer.Text != whole || shown.text.String() != whole {
		t.Errorf("the answer is %q, shown %q, want %q and %q", got.Answer.Text, shown.text.String(), whole, whole)
	}
	if want := []string{"look", "look", "", ""}; !slices.Equal(shown.doing, want) {
		t.Errorf("shown as done: %q, want %q", shown.doing, want)
	}
	roles := make([]path.Role, len(got.Turns))
	for i, turn := range got.Turns {
		roles[i] = turn.Role
	}
	if want := []path.Role{path.RoleAssistant, path.RoleTool, path.RoleTool, path.RoleAssistant}; !slices.Equal(roles, want) {
		t.Errorf("the turns are of %v, want %v", roles, want)
	}
	if len(got.Requests) != 2 || got.Requests[0].Turns != 0 || got.Requests[1].Turns != 3 || got.Requests[1].Hash != got.Answer.RequestHash {
		t.Errorf("the requests are %+v, want 2 of them, Turns 0 of the first, Turns 3 of the second and Hash %v of the second", got.Requests, got.Answer.RequestHash)
	}
	if got.Answer.Usage.Prompt != 220 || !got.Once {
		t.Errorf("%d tokens of requests, once %t, want 220 and true", got.Answer.Usage.Prompt, got.Once)
	}
	if got, want := results(server.Requests()[1]), []string{`blue is the {"at":"warp"}`, `blue is the {"at":"weft"}`}; !slices.Equal(got, want) {
		t.Errorf("the model was told %q, want %q", got, want)
	}
}

func TestWhatIsWrongWithACallIsToldToTheModel(t *testing.T) {
	stalls := tool(func(ctx context.Context, _ tools.Call) (tools.Result, error) {
		<-ctx.Done()
		return tools.Result{}, ctx.Err()
	})
	for name, test := range map[string]struct {
		call tools.Tool
		made openaitest.ToolCall
		want string
	}{
		"no JSON":       {answers("x"), look(`{"at":`), "not a JSON object"},
		"not an object": {answers("x"), look(`["warp"]`), "not a JSON object"},
		"no such tool":  {answers("x"), openaitest.ToolCall{ID: "c", Name: "fly away", Arguments: "{}"}, "there is no such tool. There are: look."},
		"arguments refused": {tool(func(context.Context, tools.Call) (tools.Result, error) {
			return tools.Result{}, tools.RefusalError("no day.")
		}), look(`{}`), "no day."},
		"a failure":     {tool(func(context.Context, tools.Call) (tools.Result, error) { return tools.Result{}, errors.New("secret") }), look(`{}`), "the tool failed"},
		"a stall":       {stalls, look(`{}`), "took too long"},
		"10 MB":         {answers(strings.Repeat("ß", 5<<20)), look(`{}`), "5241880 more characters"},
		"no result":     {answers(""), look(`{}`), "nothing to tell"},
		"invalid UTF-8": {answers("a\xffb"), look(`{}`), "a\uFFFDb"},
	} {
		t.Run(name, func(t *testing.T) {
			server, model := serve(t, nil)
			server.Queue(openaitest.Call(test.made), openaitest.Answer("So be it."))
			got, _, err := ask(t, model, tools.Limits{Call: time.Millisecond, Result: 1000}, test.call)
			if err != nil || got.Answer.Text != "So be it." {
				t.Fatalf("got %q with %v, want %q and no error", got.Answer.Text, err, "So be it.")
			}
			told := results(server.Requests()[1])
			if len(told) != 1 || !strings.Contains(told[0], test.want) || strings.Contains(told[0], "secret") || len(told[0]) > 5000 {
				t.Errorf("the model was told %.300q, want %q", told, test.want)
			}
		})
	}
}

func TestCallsEnd(t *testing.T) {
	n := 0
	server, model := serve(t, func(openaitest.Request) openaitest.Reply {
		n++
		return openaitest.Call(look(`{"n":` + strings.Repeat("1", n) + `}`))
	})
	calls := 0
	got, _, err := ask(t, model, tools.Limits{Rounds: 3}, tool(func(context.Context, tools.Call) (tools.Result, error) {
		calls++
		return tools.Result{Text: "look on"}, nil
	}))
	if !errors.Is(err, tools.ErrEndless) || calls != 3 || len(server.Requests()) != 4 {
		t.Errorf("%d calls by %d requests, then %v, want 3, 4 and %v", calls, len(server.Requests()), err, tools.ErrEndless)
	}
	told := results(server.Requests()[3])
	if len(told) != 3 || strings.Contains(told[1], "last calls") || !strings.Contains(told[2], "last calls") {
		t.Errorf("the model was told %q, want 3 of them, no %q in it second and %q in it third", told, "last calls", "last calls")
	}
	if last := got.Turns[len(got.Turns)-1]; last.Role != path.RoleTool {
		t.Errorf("the turns end with %+v, which nothing answers, want Role %v", last, path.RoleTool)
	}
}

func TestTokensAndTimeBoundTheCalls(t *testing.T) {
	few := limits.New(nil, guilds.New(nil), nil, nil, limits.Settings{Answer: 15}, nil, nil)
	for name, test := range map[string]struct {
		limits  tools.Limits
		account *limits.Account
	}{
		"tokens": {tools.Limits{}, few.Open(t.Context(), limits.Who{})},
		"time":   {tools.Limits{Time: time.Nanosecond}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server, model := serve(t, func(openaitest.Request) openaitest.Reply { return openaitest.Call(look(`{}`)) })
			loop := tools.NewLoop(model, []tools.Tool{answers("more")}, new(tools.Servers), test.limits, nil)
			_, err := loop.Run(t.Context(), request(loop), tools.Place{Account: test.account}, &screen{})
			if !errors.Is(err, tools.ErrEndless) || len(server.Requests()) != 2 {
				t.Errorf("%d requests, then %v, want 2 and %v", len(server.Requests()), err, tools.ErrEndless)
			}
		})
	}
}

func TestTheSameCallIsMadeOnce(t *testing.T) {
	server, model := serve(t, nil)
	server.Queue(openaitest.Call(look(`{"a":1,"b":2}`)), openaitest.Call(look(`{ "b":2, "a":1 }`)), openaitest.Answer("Done."))
	calls := 0
	_, _, err := ask(t, model, tools.Limits{}, tool(func(context.Context, tools.Call) (tools.Result, error) {
		calls++
		return tools.Result{Text: "here"}, nil
	}))
	if told := results(server.Requests()[2]); err != nil || calls != 1 || !strings.Contains(told[1], "made before") {
		t.Errorf("%d calls, the model was told %q, with %v, want 1, %q in it second and no error", calls, told, err, "made before")
	}
}

func TestManyCallsAtOnceAreBounded(t *testing.T) {
	server, model := serve(t, nil)
	many := make([]openaitest.ToolCall, 50)
	for i := range many {
		many[i] = openaitest.ToolCall{ID: strings.Repeat("x", i+1), Name: "look", Arguments: `{"n":` + strings.Repeat("1", i+1) + `}`}
	}
	server.Queue(openaitest.Call(many...), openaitest.Answer("Done."))
	var calls atomic.Int32
	_, _, err := ask(t, model, tools.Limits{Calls: 4}, tool(func(context.Context, tools.Call) (tools.Result, error) {
		calls.Add(1)
		return tools.Result{}, nil
	}))
	if told := results(server.Requests()[1]); err != nil || calls.Load() != 4 || len(told) != 50 {
		t.Errorf("%d calls, %d results, with %v, want 4, 50 and no error", calls.Load(), len(told), err)
	}
}

func TestNothingToSayIsAnAnswerOnlyAfterSomethingWasMade(t *testing.T) {
	file := tools.File{Name: "a.txt", Data: []byte("a")}
	for name, test := range map[string]struct {
		tool tool
		said string
		kind llm.Kind
		want error
	}{
		"a file was made": {func(context.Context, tools.Call) (tools.Result, error) {
			return tools.Result{Files: []tools.File{file}}, nil
		}, "", 0, nil},
		"a tool failed":      {func(context.Context, tools.Call) (tools.Result, error) { return tools.Result{}, errors.New("broken") }, "", 0, tools.ErrFailed},
		"nothing came of it": {answers("nothing"), "", llm.Empty, nil},
		"nothing but spaces": {answers("nothing"), "\u00a0\n", llm.Empty, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server, model := serve(t, func(openaitest.Request) openaitest.Reply { return openaitest.Answer(test.said) })
			server.Queue(openaitest.Call(look(`{}`)))
			got, _, err := ask(t, model, tools.Limits{}, test.tool)
			if llm.KindOf(err) != test.kind || test.kind == 0 && !errors.Is(err, test.want) || err == nil && got.Answer.FinishReason != llm.FinishStop {
				t.Errorf("got %v and %q, want %v or the kind %v", err, got.Answer.FinishReason, test.want, test.kind)
			}
		})
	}
}

func TestAModelThatTakesNoToolsAnswersWithoutThem(t *testing.T) {
	server, model := serve(t, nil)
	server.Queue(openaitest.Call(look(`{}`)), openaitest.Reject("tools"), openaitest.Answer("Blue, it says."))
	got, _, err := ask(t, model, tools.Limits{}, answers("blue"))
	if err != nil || got.Answer.Text != "Blue, it says." || !slices.Equal(got.Answer.Dropped, []string{llm.FeatureTools}) {
		t.Errorf("got %+v with %v, want Text %q, Dropped %v and no error", got.Answer, err, "Blue, it says.", []string{llm.FeatureTools})
	}
	last := server.Requests()[2].Chat
	if len(last.Tools) != 0 || !strings.Contains(last.Messages[len(last.Messages)-1].Text(), "blue") {
		t.Errorf("the last request held %d tools and ended with %q, want 0 and %q in it", len(last.Tools), last.Messages[len(last.Messages)-1].Text(), "blue")
	}
}

func TestCallsWithoutToolsAreNotAnswered(t *testing.T) {
	server, model := serve(t, func(openaitest.Request) openaitest.Reply { return openaitest.Call(look(`{}`)) })
	if _, _, err := ask(t, model, tools.Limits{}); !errors.Is(err, tools.ErrEndless) || len(server.Requests()) != 1 {
		t.Errorf("%d requests, then %v, want 1 and %v", len(server.Requests()), err, tools.ErrEndless)
	}
}

// TestCallsAreMadeAtOnce has each of three calls wait until
// all have begun, and end in the opposite order.
func TestCallsAreMadeAtOnce(t *testing.T) {
	server, client := serve(t, nil)
	server.Queue(openaitest.Call(
		openaitest.ToolCall{ID: "a", Name: "look", Arguments: `{"n":0}`},
		openaitest.ToolCall{ID: "b", Name: "look", Arguments: `{"n":1}`},
		openaitest.ToolCall{ID: "c", Name: "look", Arguments: `{"n":2}`},
	), openaitest.Answer("Done."))
	begun := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	ended := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	looking := tool(func(ctx context.Context, call tools.Call) (tools.Result, error) {
		n := int(call.Arguments[len(`{"n":`)] - '0')
		close(begun[n])
		defer close(ended[n])
		for _, other := range slices.Concat(begun, ended[n+1:]) {
			select {
			case <-other:
			case <-ctx.Done():
				return tools.Result{}, context.Cause(ctx)
			}
		}
		return tools.Result{Text: string(call.Arguments)}, nil
	})
	outcome, _, err := ask(t, client, tools.Limits{}, looking)
	if err != nil || outcome.Answer.Text != "Done." {
		t.Fatalf("%q, %v, want %q and no error", outcome.Answer.Text, err, "Done.")
	}
	if got := results(server.Requests()[1]); !slices.Equal(got, []string{`{"n":0}`, `{"n":1}`, `{"n":2}`}) {
		t.Errorf("the model was told %q, want %q", got, []string{`{"n":0}`, `{"n":1}`, `{"n":2}`})
	}
}

// TestAToolThatPanicsFailsAlone proves that neither the answer nor the program ends
// with it.
func TestAToolThatPanicsFailsAlone(t *testing.T) {
	server, client := serve(t, nil)
	server.Queue(openaitest.Call(look(`{"n":0}`), openaitest.ToolCall{ID: "d", Name: "look", Arguments: `{"n":1}`}), openaitest.Answer("Half done."))
	outcome, _, err := ask(t, client, tools.Limits{}, tool(func(_ context.Context, call tools.Call) (tools.Result, error) {
		if strings.Contains(string(call.Arguments), "0") {
			panic("boom")
		}
		return tools.Result{Text: "seen"}, nil
	}))
	if err != nil || outcome.Answer.Text != "Half done." {
		t.Fatalf("%q, %v, want %q and no error", outcome.Answer.Text, err, "Half done.")
	}
	if got := results(server.Requests()[1]); len(got) != 2 || !strings.HasPrefix(got[0], "Not done: the tool failed.") || got[1] != "seen" {
		t.Errorf("the model was told %q, want 2 of them, %q at its start first and %q second", got, "Not done: the tool failed.", "seen")
	}
}

// TestCallsAreSentBackInAFormThatProvidersTake proves that a call that no provider
// would take again is made all the same and sent back in other words.
func TestCallsAreSentBackInAFormThatProvidersTake(t *testing.T) {
	for name, test := range map[string]struct {
		call openaitest.ToolCall
		want path.ToolCall
	}{
		"long arguments":      {look(`{"at":"` + strings.Repeat("x", 64<<10) + `"}`), path.ToolCall{ID: "c", Name: "look", Arguments: `{"omitted":"65545 bytes"}`, Model: "test-model"}},
		"no arguments":        {look(`[]`), path.ToolCall{ID: "c", Name: "look", Arguments: `{"omitted":"not a JSON object"}`, Model: "test-model"}},
		"a name that is none": {openaitest.ToolCall{ID: "c", Name: "look up!", Arguments: `{}`}, path.ToolCall{ID: "c", Name: "unknown", Arguments: `{}`, Model: "test-model"}},
	} {
		t.Run(name, func(t *testing.T) {
			server, model := serve(t, nil)
			server.Queue(openaitest.Call(test.call), openaitest.Answer("So be it."))
			got, _, err := ask(t, model, tools.Limits{}, answers("x"))
			if err != nil || len(got.Turns) < 2 {
				t.Fatalf("%d turns with %v, want at least 2 and no error", len(got.Turns), err)
			}
			if sent := got.Turns[0].Parts[0]; sent != test.want {
				t.Errorf("sent back as %.200v, want %.200v", sent, test.want)
			}
			if result := got.Turns[1].Parts[0].(path.ToolResult); result.ID != test.want.ID || result.Name != test.want.Name {
				t.Errorf("its result is that of %s %q, want %s %q", result.Name, result.ID, test.want.Name, test.want.ID)
			}
		})
	}
}

func TestACallerThatLeavesEndsTheLoop(t *testing.T) {
	server, model := serve(t, nil)
	server.Queue(openaitest.Call(look(`{}`)))
	gone := errors.New("the question was deleted")
	ctx, leave := context.WithCancelCause(t.Context())
	loop := tools.NewLoop(model, []tools.Tool{tool(func(ctx context.Context, _ tools.Call) (tools.Result, error) {
		leave(gone)
		<-ctx.Done()
		return tools.Result{}, ctx.Err()
	})}, new(tools.Servers), tools.Limits{}, nil)
	_, err := loop.Run(ctx, request(loop), tools.Place{}, &screen{})
	if !errors.Is(err, gone) || len(server.Requests()) != 1 {
		t.Errorf("%d requests, then %v, want 1 and %v", len(server.Requests()), err, gone)
	}
}

// TestWhatCameWithCallsGoesBackWithThem has a model call tools twice, that refuses a request
// without what it sent beside its calls, and then has another answer in its place.
func TestWhatCameWithCallsGoesBackWithThem(t *testing.T) {
	signed := openaitest.Event(`{"choices":[{"delta":{"reasoning_content":"Let me ","reasoning_details":[{"type":"reasoning.text","index":0,"text":"I ","format":"f"}]}}]}`) +
		openaitest.Event(`{"choices":[{"delta":{"reasoning_content":"look.","annotations":[1],"reasoning_details":[{"type":"reasoning.text","index":0,"text":"look","format":"f"},`+
			`{"type":"reasoning.text","index":0,"signature":"s1"},{"type":"reasoning.encrypted","index":1,"data":"e"}]}}]}`) +
		openaitest.Event(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"functions.look:0","function":{"name":"look","arguments":"{\"n\":%d}","provider_specific_fields":{"a":1}},`+
			`"extra_content":{"google":{"thought_signature":"AbC=="}}}]}}]}`) +
		openaitest.Event(`{"choices":[{"delta":{"extra_content":{"b":2}},"finish_reason":"tool_calls"}]}`)
	script := func(request openaitest.Request) openaitest.Reply {
		calls := strings.Count(string(request.Body), `"role":"tool"`)
		switch {
		case calls == 2:
			return openaitest.Fail(openaitest.Failure{Status: 401})
		case calls == 1 && !strings.Contains(string(request.Body), `"thought_signature":"AbC=="`):
			return openaitest.Fail(openaitest.Failure{Status: 400, Message: "Function call is missing a thought_signature"})
		}
		return openaitest.Replay(fmt.Sprintf(signed, calls))
	}
	server, model := serve(t, script)
	other := errtest.Must(openaitest.Start(openaitest.Config{}))(t)
	other.Queue(openaitest.Answer("Blue."))
	second := errtest.Must(llm.New(llm.Config{BaseURL: other.URL(), Model: "mistral"}))(t)
	model.FallBackOn(second)
	t.Cleanup(func() { _ = other.Close() })
	got, _, err := ask(t, model, tools.Limits{}, answers("blue"))
	if err != nil || got.Answer.Text != "Blue." {
		t.Fatalf("the answer is %q with %v, want %q and no error", got.Answer.Text, err, "Blue.")
	}
	returned := server.Requests()[1].Body
	for _, want := range []string{
		`"reasoning_content":"Let me look."`, `"extra_content":{"b":2}`, `"function":{"arguments":"{\"n\":0}","name":"look","provider_specific_fields":{"a":1}}`,
		`"extra_content":{"google":{"thought_signature":"AbC=="}}`,
		`"reasoning_details":[{"format":"f","index":0,"signature":"s1","text":"I look","type":"reasoning.text"},{"type":"reasoning.encrypted","index":1,"data":"e"}]`,
	} {
		if !strings.Contains(string(returned), want) {
			t.Errorf("%s was sent, want %s in it", returned, want)
		}
	}
	if strings.Contains(string(returned), "annotations") {
		t.Errorf("%s was sent, want no annotations in it", returned)
	}
	elsewhere := string(other.Requests()[0].Body)
	for _, secret := range []string{"reasoning", "signature", "extra_content", "provider_specific_fields", "functions.look:0"} {
		if strings.Contains(elsewhere, secret) {
			t.Errorf("another model was sent %s, want no %s in it", elsewhere, secret)
		}
	}
	stored := errtest.Must(json.Marshal(got.Turns))(t)
	if strings.Contains(string(stored), "signature") || strings.Contains(string(stored), "Let me look.") {
		t.Errorf("%s would be stored, want no reasoning in it", stored)
	}
	for i, q := range got.Requests {
		asked := llm.Request{Tail: "Today.", Path: request(tools.NewLoop(model, []tools.Tool{answers("blue")}, new(tools.Servers), tools.Limits{}, nil)).Path, Since: got.Turns[:q.Turns]}
		if body := errtest.Must(llm.Rebuild(q.Model, asked, q.Without))(t); path.RequestHash(body) != q.Hash {
			t.Errorf("request %d is made again as %s, want the hash %s", i, body, q.Hash)
		}
	}
}
