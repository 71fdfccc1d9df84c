package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/wait"
)

// Server is an MCP server as it is configured: a command that is run, or an address.
type Server struct {
	Name    string // begins the names of its tools; a-z, 0-9 and hyphens
	URL     string // "" for a command
	Key     string // sent to URL; "" for none
	Command []string
	Environ []string // of the command
	// For holds the guilds, roles and people that its tools are for; empty: everybody.
	For []uint64
}

// The patience with MCP servers.
const (
	reaching   = 20 * time.Second // longest wait until a server is connected and has named its tools
	leaving    = time.Second      // longest wait until a command ends by itself
	alive      = 30 * time.Second // pause between two looks at whether a server is there
	leastPause = time.Second      // before a server that is away is tried again
	mostPause  = time.Minute
)

// Servers lends the model the tools of MCP servers while Run runs. The zero Servers has
// none. Its methods may be called from any goroutine.
type Servers struct{ all []*server }

// NewServers returns servers, whose names differ. None is connected before Run.
func NewServers(configured []Server, log *slog.Logger) *Servers {
	s := new(Servers)
	for _, c := range configured {
		s.all = append(s.all, &server{Server: c, log: log.With("server", c.Name), failed: wait.NewSignal()})
	}
	return s
}

// Run keeps the servers connected until ctx ends. One that is away is tried again.
func (s *Servers) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, server := range s.all {
		running.Go(func() { server.keep(ctx) })
	}
	running.Wait()
}

// Restricted reports whether it depends on who asks which servers' tools may be called.
func (s *Servers) Restricted() bool {
	return slices.ContainsFunc(s.all, func(server *server) bool { return len(server.For) > 0 })
}

// Lent returns the tools that may be called for somebody with some ids: their guild's,
// their roles' and their own. It also returns the servers of theirs that are away.
func (s *Servers) Lent(ids []uint64) (lent []path.Tool, away []string) {
	for _, server := range s.all {
		if !server.isFor(ids) {
			continue
		}
		session, tools := server.now()
		if session == nil {
			away = append(away, server.Name)
			continue
		}
		for _, tool := range tools {
			lent = append(lent, tool.spec)
		}
	}
	return lent, away
}

// Lends reports whether a tool is lent to somebody with some ids, also while its server is
// away. The name of a tool begins with that of its server.
func (s *Servers) Lends(ids []uint64, tool string) bool {
	name, _, _ := strings.Cut(tool, "_")
	return slices.ContainsFunc(s.all, func(server *server) bool { return server.Name == name && server.isFor(ids) })
}

// isFor reports whether the server is for somebody with some ids.
func (s *server) isFor(ids []uint64) bool {
	return len(s.For) == 0 || slices.ContainsFunc(s.For, func(id uint64) bool { return slices.Contains(ids, id) })
}

// tool returns the tool with a name, also while its server is away, or nil.
func (s *Servers) tool(name string) *lent {
	for _, server := range s.all {
		_, tools := server.now()
		for _, tool := range tools {
			if tool.spec.Name == name {
				return tool
			}
		}
	}
	return nil
}

// server is an MCP server with its session.
//
// mu guards the fields below it; it is never held over I/O.
type server struct {
	Server

	log    *slog.Logger
	failed wait.Signal // a call found the session broken

	mu      sync.Mutex
	session *mcp.ClientSession // nil while the server is away
	tools   []*lent            // as the server named them last
}

// now returns the session, nil while the server is away, and the tools.
func (s *server) now() (*mcp.ClientSession, []*lent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session, s.tools
}

func (s *server) set(session *mcp.ClientSession, tools []*lent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.tools = session, tools
}

// keep keeps the server connected until ctx ends. It waits longer each time before it tries
// a server again that is away, or that did not stay.
func (s *server) keep(ctx context.Context) {
	news := true // that the server is away
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		began := time.Now()
		reached, err := s.stay(ctx)
		if ctx.Err() != nil {
			return
		}
		if news || reached {
			s.log.WarnContext(ctx, "an MCP server is away, the model answers without its tools until it is back; check MCP_SERVERS and the server", "error", s.told(err))
		}
		news = false
		if time.Since(began) > mostPause {
			pause = leastPause
		}
		if wait.For(ctx, pause) != nil {
			return
		}
	}
}

// stay connects the server and stays connected until it goes away or ctx ends. It reports
// whether the server was reached, and why it is away.
func (s *server) stay(ctx context.Context) (reached bool, err error) {
	session, tools, err := s.reach(ctx)
	if err != nil {
		return false, err
	}
	s.set(session, tools)
	s.log.InfoContext(ctx, "an MCP server is connected", "tools", len(tools))
	var waiting sync.WaitGroup
	ended := make(chan struct{})
	waiting.Go(func() {
		err = session.Wait()
		close(ended)
	})
	select {
	case <-ctx.Done():
	case <-s.failed:
	case <-ended:
	}
	s.set(nil, tools)
	_ = session.Close() // it is gone anyway
	waiting.Wait()
	return true, err
}

// reach connects the server and has it name its tools.
func (s *server) reach(ctx context.Context) (*mcp.ClientSession, []*lent, error) {
	limited, cancel := context.WithTimeout(ctx, reaching)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "heddle", Version: "1"}, &mcp.ClientOptions{
		Capabilities: new(mcp.ClientCapabilities), KeepAlive: alive, // it may ask nothing of heddle
	})
	session, err := client.Connect(limited, s.transport(ctx), nil)
	if err != nil {
		return nil, nil, fmt.Errorf("connect: %w", err)
	}
	tools, err := s.list(limited, session)
	if err != nil {
		_ = session.Close() // the error says why
		return nil, nil, fmt.Errorf("list its tools: %w", err)
	}
	return session, tools, nil
}

// transport returns how the server is spoken to. Its command outlives ctx, as it is ended
// by closing its input.
//
//nolint:ireturn // the SDK has one for each way
func (s *server) transport(ctx context.Context) mcp.Transport {
	if s.URL == "" {
		command := exec.CommandContext(context.WithoutCancel(ctx), s.Command[0], s.Command[1:]...) //nolint:gosec // the operator names it
		command.Env = s.Environ
		return &mcp.CommandTransport{Command: command, TerminateDuration: leaving}
	}
	return &mcp.StreamableClientTransport{Endpoint: s.URL, DisableStandaloneSSE: true, HTTPClient: &http.Client{
		Transport: keyed{s.Key}, CheckRedirect: func(to *http.Request, via []*http.Request) error {
			if to.URL.Host != via[0].URL.Host {
				return http.ErrUseLastResponse // the key is for the server alone
			}
			return nil
		},
	}}
}

// told returns an error as it may be logged: in one line, without the address, which may
// hold a key.
func (s *server) told(err error) string {
	if err == nil {
		return "it closed the connection"
	}
	text := err.Error()
	for _, secret := range append(slices.Clone(s.Command), s.URL, s.Key) {
		if len(secret) > len("node") {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return graph.OneLine(text, maxTitle)
}

// keyed sends requests with a key. It reads no more of a response than a server may send
// at once; the SDK bounds the events of streams alone.
type keyed struct{ key string }

// RoundTrip implements http.RoundTripper.
func (k keyed) RoundTrip(request *http.Request) (*http.Response, error) {
	if k.key != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+k.key)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, mcp.DefaultMaxEventSize)
	}
	return response, err //nolint:wrapcheck // a RoundTripper returns the errors of the one below
}

// Examine connects the server once, and returns the names of its tools.
func (s Server) Examine(ctx context.Context) ([]string, error) {
	one := &server{Server: s, log: slog.New(slog.DiscardHandler)}
	session, tools, err := one.reach(ctx)
	if err != nil {
		return nil, errors.New(one.told(err))
	}
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.spec.Name
	}
	return names, session.Close() //nolint:wrapcheck // the server is there
}
