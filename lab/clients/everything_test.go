package clients_test

import (
	"context"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/llm"
)

const everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"

// TestAServerOfOthersLendsItsToolsIfInstalled has the reference server of MCP do what the
// model calls for: as a command, and over HTTP.
func TestAServerOfOthersLendsItsToolsIfInstalled(t *testing.T) {
	if missing(t, "server-everything (npm ci in lab/clients)", "node", "--check", everything) {
		return
	}
	listener := errtest.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	_ = listener.Close()
	cmd := exec.CommandContext(t.Context(), "node", everything, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	errtest.None(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // it ends with the test's context
	for name, server := range map[string]tools.Server{
		"as a command": {Command: []string{"node", everything, "stdio"}, Environ: os.Environ()},
		"over HTTP":    {URL: "http://" + address + "/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			server.Name = "all"
			lends(t, server)
		})
	}
}

// lends has a model call two tools of a server.
func lends(t *testing.T, server tools.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
	defer cancel()
	logged := make(lines, 100)
	servers := tools.NewServers([]tools.Server{server}, slog.New(slog.NewTextHandler(logged, nil)))
	ended := make(chan struct{})
	go func() {
		servers.Run(ctx)
		close(ended)
	}()
	defer func() { cancel(); <-ended }()
	for line := ""; !strings.Contains(line, "is connected"); {
		select {
		case line = <-logged:
			t.Log(line)
		case <-ctx.Done():
			t.Fatal("the server was not connected in time")
		}
	}
	model := errtest.Must(openaitest.Start(openaitest.Config{}))(t)
	t.Cleanup(func() { _ = model.Close() })
	client := errtest.Must(llm.New(llm.Config{BaseURL: model.URL(), Model: "test-model"}))(t)
	t.Cleanup(client.Close)
	model.Queue(openaitest.Call(
		openaitest.ToolCall{ID: "1", Name: "all_echo", Arguments: `{"message":"over, under"}`},
		openaitest.ToolCall{ID: "2", Name: "all_get-sum", Arguments: `{"a":3,"b":4}`},
	), openaitest.Answer("Done."))
	loop := tools.NewLoop(client, nil, servers, tools.Limits{}, nil)
	lent, _ := loop.Offered().To(nil)
	request := llm.Request{Path: path.Path{Tools: lent, Turns: []path.Turn{{Role: path.RoleUser, Speaker: "ann", Parts: []path.Part{path.Text("go")}}}}}
	got, err := loop.Run(ctx, request, tools.Place{}, screenless{})
	if err != nil || !got.Once || len(got.Outside) != 2 {
		t.Fatalf("%v were called, once: %t, with %v, want two, once and no error", got.Outside, got.Once, err)
	}
	said := string(model.Requests()[1].Body)
	for _, want := range []string{"Echo: over, under", "The sum of 3 and 4 is 7"} {
		if !strings.Contains(said, want) {
			t.Errorf("the model is not told %q: %s", want, said)
		}
	}
}

// lines passes on what is written, a line at a time.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// screenless is a tools.Show without a reader.
type screenless struct{}

func (screenless) Append(string)  {}
func (screenless) Replace(string) {}
func (screenless) Doing(string)   {}
