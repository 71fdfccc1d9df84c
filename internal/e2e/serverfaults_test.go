package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// foreign is in whatever a faulty server sends. It must get into no log.
const foreign = "canary-of-the-server"

// faulty is an MCP server over HTTP whose first call goes wrong.
//
// mu guards the fields below it.
type faulty struct {
	fault func(http.ResponseWriter, rpc) // answers the first call
	lists func(n int) any                // the nth list of tools; nil: one tool, look.up

	mu       sync.Mutex
	sessions int         // begun so far
	lost     bool        // the first session is no longer known
	calls    int         // made so far
	listed   int         // how often the tools were named
	streams  []chan bool // of what is said between calls; each value is a change of the tools
}

// ServeHTTP implements http.Handler.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request rpc
	switch {
	case r.Method == http.MethodGet:
		f.stream(w, r)
		return
	case r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&request) != nil:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case request.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	f.mu.Lock()
	first, unknown := false, false
	switch request.Method {
	case "initialize":
		f.sessions++
		w.Header().Set("Mcp-Session-Id", strconv.Itoa(f.sessions))
	case "tools/call":
		f.calls++
		first = f.calls == 1
		unknown = f.lost && r.Header.Get("Mcp-Session-Id") == "1"
	}
	f.mu.Unlock()
	if first || unknown {
		f.fault(w, request)
		return
	}
	answer, _ := outside("docs").answers(request)
	if request.Method == "tools/list" && f.lists != nil {
		f.mu.Lock()
		f.listed++
		answer.Result = f.lists(f.listed)
		f.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// stream sends the changes of the tools until the client leaves.
func (f *faulty) stream(w http.ResponseWriter, r *http.Request) {
	changes := make(chan bool)
	f.mu.Lock()
	f.streams = append(f.streams, changes)
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-changes:
			_, _ = fmt.Fprintf(w, ": %s\n\nnonsense %s\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n", foreign, foreign)
		}
	}
}

// answering returns a fault that answers with a status, a type and a body.
func answering(status int, kind, body string) func(http.ResponseWriter, rpc) {
	return func(w http.ResponseWriter, request rpc) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(strings.ReplaceAll(body, "ID", string(request.ID))))
	}
}

// TestAFailedCallCostsThatCallOnly has the first call of each server go wrong in another way. The
// model learns that it failed, or what is left of it; its second call, in the same answer, works
// in the same session, or in a new one if the session was lost. The log holds nothing of what the
// server sent.
func TestAFailedCallCostsThatCallOnly(t *testing.T) {
	const text, stream, page = "application/json", "text/event-stream", "<html>" + foreign + "</html>"
	said := func(content string) string { return `{"jsonrpc":"2.0","id":ID,"result":{"content":` + content + `}}` }
	type variant struct {
		fault func(http.ResponseWriter, rpc)
		told  string // of the first call
		lost  bool   // whether that is a lost session
	}
	status := func(code int, body string) variant {
		return variant{fault: answering(code, "text/html", body), told: fmt.Sprintf("the server docs failed: it answered with the status %d", code)}
	}
	lost := func(code int, kind, body string) variant {
		return variant{answering(code, kind, body), "the loom is in room 7", true}
	}
	failed := func(kind, body, problem string) variant {
		return variant{fault: answering(http.StatusOK, kind, body), told: problem}
	}
	inScenes(t, map[string]variant{
		"too many requests":           status(http.StatusTooManyRequests, page),
		"a server that fails":         status(http.StatusInternalServerError, page),
		"an overloaded server":        status(http.StatusServiceUnavailable, page),
		"a refusal":                   status(http.StatusForbidden, page),
		"a request that is too large": status(http.StatusRequestEntityTooLarge, page),
		"a page":                      failed("text/html", page, "its answer cannot be read"),
		"no type":                     failed("", said(`[{"type":"text","text":"`+foreign+`"}]`), foreign), // it is read anyway
		"half an answer":              failed(text, `{"jsonrpc":"2.0","id":ID,"result":{"content":["`+foreign, "its answer cannot be read"),
		"an empty answer":             failed(text, "", "its answer cannot be read"),
		"an error without an id":      failed(text, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"`+foreign+`"}}`, `{"failed":true,"sent":"`+foreign),
		"an error with a status":      {fault: answering(http.StatusBadRequest, text, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"`+foreign+`"}}`), told: `{"failed":true,"sent":"` + foreign},
		"an error of another call":    failed(text, `{"jsonrpc":"2.0","id":999,"error":{"code":-32603,"message":"`+foreign+`"}}`, `{"failed":true,"sent":"`+foreign),
		"an error and a failure":      {fault: answering(http.StatusInternalServerError, text, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"`+foreign+`"}}`), told: "it answered with the status 500"},
		"parts of an unknown type":    failed(text, said(`[{"type":"chart","text":"`+foreign+`"}]`), `\"chart\"`),
		"an object instead of parts":  failed(text, said(`{"text":"`+foreign+`"}`), foreign),
		"structure alone":             failed(text, `{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"room":"`+foreign+`"}}}`, foreign),
		"nothing":                     failed(text, said("[]"), `{"sent":""}`),
		"events of other kinds":       failed(stream, "nonsense "+foreign+"\n\ndata: "+foreign+"\n\nevent: other\ndata: {}\n\ndata: "+said(`[{"type":"text","text":"room 8"}]`)+"\n\n", `{"sent":"room 8"}`),
		"a stream that ends":          failed(stream, "id: 7\ndata: "+foreign+"\n\n", "is away for now"),
		"a huge event":                failed(stream, "data: "+strings.Repeat("huge ", 4<<20)+"\n\n", "its answer is too large"),
		"a lost session":              lost(http.StatusNotFound, "text/plain", page),
		"a lost session in words":     lost(http.StatusBadRequest, text, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}`),
		"a lost session as an outage": lost(http.StatusServiceUnavailable, text, `{"error":"Unknown session"}`),
		"a lost session as a success": lost(http.StatusOK, stream, "event: message\ndata: {\"error\":\"Session not found\"}\n\n"),
	}, func(s *scene, test variant) {
		f := &faulty{fault: test.fault, lost: test.lost}
		server := httptest.NewServer(f)
		s.t.Cleanup(server.Close)
		s.model.Queue(call("docs_look_up", `{"try":1}`), call("docs_look_up", `{"try":2}`), openaitest.Answer("In room 7."))
		r := s.start("MCP_SERVERS=docs: " + server.URL)
		s.awaits(&r.logs, serverConnected)
		s.answer(s.channel, s.ask(s.ann, "where is the loom?"), "In room 7.")
		told := s.told(3)
		s.contains(told[0], test.told)
		s.contains(told[1], "the loom is in room 7")
		r.end()
		want := 1
		if test.lost {
			want = 2
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		s.same("the sessions", f.sessions, want)
		s.lacks(r.logs.String(), foreign, "is away")
	})
}

// listing returns a list of tools.
func listing(names ...string) any {
	var tools []any
	for _, name := range names {
		tools = append(tools, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}})
	}
	return map[string]any{"tools": tools}
}

// TestChangedToolsArePickedUp has servers that name other tools while they run: one says so on its
// stream, one as a command. Heddle warns of tools that are new, and nobody passes for one.
func TestChangedToolsArePickedUp(t *testing.T) {
	s := newScene(t)
	f := &faulty{lists: func(n int) any {
		if n == 1 {
			return listing("look.up")
		}
		return listing("look.up", "burn.down")
	}}
	server := httptest.NewServer(f)
	s.t.Cleanup(server.Close)
	_, growing, _ := strings.Cut(outside("growing").command(), ": ")
	namesake := s.discord.People.AddUser("docs_burn_down", s.guild)
	r := s.start("MCP_SERVERS=docs: " + server.URL + "; words: " + growing)
	s.awaitsTimes(&r.logs, serverConnected, 2)
	f.mu.Lock()
	stream := f.streams[0]
	f.mu.Unlock()
	select {
	case stream <- true:
	case <-s.ctx.Done():
		s.t.Fatal("nobody listens to the server's stream")
	}
	s.awaits(&r.logs, "tools=[docs_burn_down]")
	s.awaits(&r.logs, "tools=[words_grown]")
	s.model.Queue(openaitest.Answer("Yes."))
	s.answer(s.channel, s.ask(namesake, "are they there?"), "Yes.")
	s.contains(strings.Join(s.tools(1), " "), "docs_burn_down", "words_grown")
	s.contains(s.conversation(1), "[speaker: docs_burn_down (person)]")
	s.lacks(r.logs.String(), foreign)
}

// TestOneToolThatNobodyCanUseCostsItself has a server that names a tool in each odd way beside a
// good one.
func TestOneToolThatNobodyCanUseCostsItself(t *testing.T) {
	s := newScene(t)
	object := map[string]any{"type": "object"}
	f := &faulty{lists: func(int) any {
		return map[string]any{"tools": []any{
			map[string]any{"name": "good", "inputSchema": object},
			map[string]any{"name": "untyped", "inputSchema": map[string]any{"$schema": "http://json-schema.org/draft-07/schema#"}},
			map[string]any{"name": "absent", "inputSchema": nil},
			map[string]any{"name": "choice", "inputSchema": map[string]any{"anyOf": []any{map[string]any{"properties": map[string]any{"a": object}}}}},
			map[string]any{"name": "bare", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"list": map[string]any{"type": "array"}}}},
			map[string]any{"name": strings.Repeat("long.", 30), "inputSchema": object},
			map[string]any{"name": "text", "inputSchema": map[string]any{"type": "string"}},
			map[string]any{"name": "huge", "inputSchema": map[string]any{"type": "object", "description": strings.Repeat("x", 20_000)}},
			map[string]any{"name": "odd", "inputSchema": object, "annotations": "none"},
			map[string]any{"name": 7},
			"nonsense", nil,
		}}
	}}
	server := httptest.NewServer(f)
	s.t.Cleanup(server.Close)
	s.model.Queue(openaitest.Answer("Yes."))
	r := s.start("MCP_SERVERS=docs: " + server.URL)
	s.awaits(&r.logs, serverConnected)
	s.answered(s.channel, "are they there?", "Yes.")
	got := s.tools(1)[3:]
	slices.Sort(got)
	s.same("the tools", got, []string{"docs_absent", "docs_bare", "docs_choice", "docs_good", "docs_" + strings.Repeat("long_", 12)[:59], "docs_untyped"})
	for _, tool := range s.request(1).Chat.Tools[3:] {
		s.contains(string(tool.Function.Parameters), `"type":"object"`, `"properties":{`)
		s.lacks(string(tool.Function.Parameters), "anyOf", "$schema")
	}
}

// TestServersDoNotDelayTheEnd has servers that ignore that they are told to end: over HTTP and as a
// command, which leaves another process behind. Heddle ends all the same, and no command is left.
func TestServersDoNotDelayTheEnd(t *testing.T) {
	s := newScene(t)
	end := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			<-end
			return
		}
		(&faulty{}).ServeHTTP(w, r)
	}))
	s.t.Cleanup(func() { close(end); hanging.Close() })
	listener := errtest.Must(new(net.ListenConfig).Listen(s.ctx, "tcp", "127.0.0.1:0"))(t)
	s.t.Cleanup(func() { _ = listener.Close() })
	deaf := fmt.Sprintf("env %s=deaf %s=%s %s", wantsServer, wantsLine, listener.Addr(), os.Args[0])
	r := s.start("MCP_SERVERS=docs: " + hanging.URL + "; deaf: " + deaf)
	s.awaitsTimes(&r.logs, serverConnected, 2)
	var lines []net.Conn // each ends with its process
	for range 2 {
		lines = append(lines, errtest.Must(listener.Accept())(t))
	}
	began := time.Now()
	r.end()
	s.atMost("the seconds until heddle has ended", int(time.Since(began).Seconds()), 9)
	for _, line := range lines {
		s.ok(line.SetReadDeadline(time.Now().Add(discordtest.Patience)))
		_, err := line.Read(make([]byte, 1))
		if timeout, ok := errors.AsType[net.Error](err); err == nil || ok && timeout.Timeout() {
			t.Errorf("a process of the server is left: %v", err)
		}
	}
}
