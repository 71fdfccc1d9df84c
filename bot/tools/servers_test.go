package tools_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/waittest"
	"heddle/llm"
)

// TestServersThatSpeakInOtherWays has servers of the SDK, in the way of today, with and without
// sessions, and in that of 2024, whether or not the settings say so. Each lends its tool, and the
// call of it is answered.
func TestServersThatSpeakInOtherWays(t *testing.T) {
	t.Parallel()
	made := mcp.NewServer(&mcp.Implementation{Name: "looms", Version: "1"}, nil)
	type asked struct {
		What string `json:"what"`
	}
	mcp.AddTool(made, &mcp.Tool{Name: "find"}, func(_ context.Context, _ *mcp.CallToolRequest, a asked) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "the " + a.What + " is in room 7"}}}, nil, nil
	})
	server := func(*http.Request) *mcp.Server { return made }
	legacy := mcp.NewSSEHandler(server, nil)
	for name, test := range map[string]struct {
		handler http.Handler
		legacy  bool
	}{
		"as today":               {mcp.NewStreamableHTTPHandler(server, nil), false},
		"as today, in one piece": {mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{JSONResponse: true}), false},
		"without sessions":       {mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{Stateless: true}), false},
		"as in 2024":             {legacy, true},
		"as in 2024, not said":   {legacy, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := httptest.NewServer(test.handler)
			t.Cleanup(at.Close)
			ctx, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
			defer cancel()
			var log waittest.Log
			servers := tools.NewServers([]tools.Server{{Name: "looms", URL: at.URL, Legacy: test.legacy}}, slog.New(slog.NewTextHandler(&log, nil)))
			ended := make(chan struct{})
			go func() {
				servers.Run(ctx)
				close(ended)
			}()
			defer func() { cancel(); <-ended }()
			errtest.None(t, log.Await(ctx, "is connected", 1))
			model := errtest.Must(openaitest.Start(openaitest.Config{}))(t)
			t.Cleanup(func() { _ = model.Close() })
			client := errtest.Must(llm.New(llm.Config{BaseURL: model.URL(), Model: "test-model"}))(t)
			t.Cleanup(client.Close)
			model.Queue(openaitest.Call(openaitest.ToolCall{ID: "1", Name: "looms_find", Arguments: `{"what":"warp"}`}), openaitest.Answer("Done."))
			loop := tools.NewLoop(client, nil, servers, tools.Limits{}, nil)
			lent, _ := loop.Offered().To(nil)
			request := llm.Request{Path: path.Path{Tools: lent, Turns: []path.Turn{{Role: path.RoleUser, Speaker: "ann", Parts: []path.Part{path.Text("go")}}}}}
			got, err := loop.Run(ctx, request, tools.Place{}, new(screen))
			errtest.None(t, err)
			if told := llm.Render(got.Turns[1]); len(lent) != 1 || lent[0].Server != "looms" || !strings.Contains(told, "the warp is in room 7") {
				t.Errorf("%d tools are lent, and the model is told %s", len(lent), told)
			}
		})
	}
}
