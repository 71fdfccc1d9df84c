package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestFilesHaveATypeByTheirName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.md": "text/markdown", "a.MARKDOWN": "text/markdown", "a.html": "text/html", "a.csv": "text/csv", "a.css": "text/css",
		"a.json": "application/json", "a.xml": "application/xml", "a.svg": "image/svg+xml", "a.go": "text/plain", "a": "text/plain",
	} {
		got, err := call(t, tools.Artifact{}, map[string]string{"file_name": name, "content": "x"}, tools.Place{})
		if err != nil || !strings.HasPrefix(got.Files[0].Type, want) {
			t.Errorf("%s is %+v, %v, want Type %q at its start of the first and no error", name, got.Files, err, want)
		}
	}
}

func TestTitlesAreOneShortLine(t *testing.T) {
	t.Parallel()
	for _, title := range []struct{ given, want string }{
		{" the\n plan ", "the plan"},
		{strings.Repeat("ü", 300), strings.Repeat("ü", 199) + "…"},
	} {
		got, err := call(t, tools.Artifact{}, map[string]string{"title": title.given, "content": "x"}, tools.Place{})
		if err != nil || got.Files[0].Title != title.want {
			t.Errorf("%q becomes %q, %v, want %q and no error", title.given, got.Files[0].Title, err, title.want)
		}
	}
}

// TestOnlyFilesWaitForEachOther proves that no two files are made at once: they could
// have one name.
func TestOnlyFilesWaitForEachOther(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool tools.Tool
		want bool
	}{
		"a file": {tools.Artifact{}, false}, "a search": {&tools.Search{}, true}, "a helper": {&tools.Subagent{}, true},
	} {
		if got := test.tool.Independent(); got != test.want {
			t.Errorf("%s needs nothing of other calls: %t, want %t", name, got, test.want)
		}
	}
}

func TestArgumentsAreBounded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool      tools.Tool
		arguments map[string]string
		want      string
	}{
		"words to search":  {&tools.Search{}, map[string]string{"words": strings.Repeat("x", 801)}, "200 characters"},
		"a person's name":  {&tools.Search{}, map[string]string{"person": strings.Repeat("x", 801)}, "200 characters"},
		"a helper's task":  {&tools.Subagent{}, map[string]string{"task": strings.Repeat("x", 64<<10+1)}, "64 KiB"},
		"a day that is no": {&tools.Search{}, map[string]string{"before": "tomorrow"}, `"before" is no day`},
	} {
		_, err := call(t, test.tool, test.arguments, tools.Place{Readable: yes})
		var refusal tools.RefusalError
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func TestWhatASearchFindsIsBounded(t *testing.T) {
	t.Parallel()
	server, place, search := channel(t)
	long := strings.Repeat("ü", 700)
	author := server.People.AddUser("carl")
	if _, err := server.Chat.Backfill(place.Channel, []discordtest.Draft{{Author: author, Content: long, At: time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)}}); err != nil {
		t.Fatal(err)
	}
	got, err := call(t, search, map[string]string{"person": "carl"}, place)
	if err != nil || len(got.Sources) != 1 || !strings.Contains(got.Text, strings.Repeat("ü", 599)+"…") || strings.Contains(got.Text, strings.Repeat("ü", 600)) {
		t.Errorf("a long message is quoted as %.200q, %v, want its first 599 characters and an ellipsis", got.Text, err)
	}
	got, err = call(t, search, map[string]string{"words": "chatter"}, place)
	if err != nil || len(got.Sources) != 20 || !strings.Contains(got.Text, "there may be older ones") {
		t.Errorf("%d messages were found, %v, want 20 and a note that there may be older ones", len(got.Sources), err)
	}
}

func TestAHelperThatIsCutShortSaysSo(t *testing.T) {
	t.Parallel()
	server, model := serve(t, nil)
	reply := openaitest.Answer("Forty")
	reply.FinishReason = "length"
	server.Queue(reply)
	got, err := call(t, &tools.Subagent{Model: model}, map[string]string{"task": "Count."}, tools.Place{})
	if err != nil || !strings.HasPrefix(got.Text, "Forty\n") || !strings.Contains(got.Text, "length limit") {
		t.Errorf("got %q with %v, want %q at its start, %q in it and no error", got.Text, err, "Forty\n", "length limit")
	}
}

// TestCallsAreSentBackInAFormThatProvidersTake proves that a call that no provider
// would take again is made all the same and sent back in other words.
func TestCallsAreSentBackInAFormThatProvidersTake(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		call openaitest.ToolCall
		want path.ToolCall
	}{
		"long arguments":      {look(`{"at":"` + strings.Repeat("x", 64<<10) + `"}`), path.ToolCall{ID: "c", Name: "look", Arguments: `{"omitted":"65545 bytes"}`}},
		"no arguments":        {look(`[]`), path.ToolCall{ID: "c", Name: "look", Arguments: `{"omitted":"not a JSON object"}`}},
		"a name that is none": {openaitest.ToolCall{ID: "c", Name: "look up!", Arguments: `{}`}, path.ToolCall{ID: "c", Name: "unknown", Arguments: `{}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
	t.Parallel()
	server, model := serve(t, nil)
	server.Queue(openaitest.Call(look(`{}`)))
	gone := errors.New("the question was deleted")
	ctx, leave := context.WithCancelCause(t.Context())
	loop := tools.NewLoop(model, []tools.Tool{tool(func(ctx context.Context, _ tools.Call) (tools.Result, error) {
		leave(gone)
		<-ctx.Done()
		return tools.Result{}, ctx.Err()
	})}, tools.Limits{}, nil)
	_, err := loop.Run(ctx, request(loop), tools.Place{}, &screen{})
	if !errors.Is(err, gone) || len(server.Requests()) != 1 {
		t.Errorf("%d requests, then %v, want 1 and %v", len(server.Requests()), err, gone)
	}
}
