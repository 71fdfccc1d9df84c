package tools_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"heddle/bot/tools"
	"heddle/internal/openaitest"
)

// together is a tool whose calls may be made at the same time.
type together struct{ tool }

func (together) Independent() bool { return true }

// TestCallsThatNeedNothingOfEachOtherAreMadeAtOnce has each of three calls wait until
// all have begun, and end in the opposite order.
func TestCallsThatNeedNothingOfEachOtherAreMadeAtOnce(t *testing.T) {
	t.Parallel()
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
	outcome, _, err := ask(t, client, tools.Limits{}, together{looking})
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
	t.Parallel()
	server, client := serve(t, nil)
	server.Queue(openaitest.Call(look(`{"n":0}`), openaitest.ToolCall{ID: "d", Name: "look", Arguments: `{"n":1}`}), openaitest.Answer("Half done."))
	outcome, _, err := ask(t, client, tools.Limits{}, together{tool(func(_ context.Context, call tools.Call) (tools.Result, error) {
		if strings.Contains(string(call.Arguments), "0") {
			panic("boom")
		}
		return tools.Result{Text: "seen"}, nil
	})})
	if err != nil || outcome.Answer.Text != "Half done." {
		t.Fatalf("%q, %v, want %q and no error", outcome.Answer.Text, err, "Half done.")
	}
	if got := results(server.Requests()[1]); len(got) != 2 || !strings.HasPrefix(got[0], "Not done: the tool failed.") || got[1] != "seen" {
		t.Errorf("the model was told %q, want 2 of them, %q at its start first and %q second", got, "Not done: the tool failed.", "seen")
	}
}
