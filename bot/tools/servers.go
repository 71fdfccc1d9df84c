package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"heddle/bot/conversation"
	"heddle/internal/wait"
)

// Server is an MCP server as it is configured: a command that is run, or an address.
type Server struct {
	Name    string      // begins the names of its tools; a-z, 0-9 and hyphens
	URL     string      // "" for a command
	Header  http.Header // sent to URL; it may hold secrets
	Legacy  bool        // URL speaks as before 2025-03-26: answers come on one stream of events
	Command []string
	Environ []string // of the command
	Dir     string   // in which the command runs; "": heddle's
	// For holds the guilds, roles and people that its tools are for; empty: everybody.
	For []uint64
}

// The patience with MCP servers.
const (
	reaching = 20 * time.Second // longest wait until a server is connected and has named its tools
	// leaving is the longest wait until a command ends by itself, and until it ends when it is told.
	leaving = 500 * time.Millisecond
	// farewell is the longest wait until a session has ended. After the grace of running answers it
	// has to fit into the 10 seconds after which container engines kill.
	farewell   = 1500 * time.Millisecond
	alive      = 30 * time.Second // pause between two looks at whether a server is there
	pinging    = 15 * time.Second // longest wait for a sign of life
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
		s.all = append(s.all, newServer(c, log.With("server", c.Name)))
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

// Lent returns what each server lends, whomever it is for.
func (s *Servers) Lent() []conversation.Lent {
	all := make([]conversation.Lent, len(s.all))
	for i, server := range s.all {
		session, tools := server.now()
		all[i] = conversation.Lent{Server: server.Name, For: server.For, Away: session == nil}
		for _, tool := range tools {
			all[i].Tools = append(all[i].Tools, tool.spec)
		}
	}
	return all
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

	log     *slog.Logger
	failed  wait.Signal // a call failed: the server may be gone
	changed wait.Signal // the server says that its tools have changed

	mu      sync.Mutex
	session *mcp.ClientSession // nil while the server is away
	tools   []*lent            // as the server named them last
	lost    *mcp.ClientSession // a session that the server no longer knows
	turned  chan struct{}      // closed when session is set
}

func newServer(configured Server, log *slog.Logger) *server {
	return &server{Server: configured, log: log, failed: wait.NewSignal(), changed: wait.NewSignal(), turned: make(chan struct{})}
}

// now returns the session, nil while the server is away, and the tools.
func (s *server) now() (*mcp.ClientSession, []*lent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session, s.tools
}

// set sets the session and the tools, and returns the tools before.
func (s *server) set(session *mcp.ClientSession, tools []*lent) (before []*lent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.tools
	s.session, s.tools = session, tools
	close(s.turned)
	s.turned = make(chan struct{})
	return before
}

// renewed has the server connected again whose session is lost. It returns the session that takes
// its place, nil if there is none before ctx ends.
func (s *server) renewed(ctx context.Context, lost *mcp.ClientSession) *mcp.ClientSession {
	s.mu.Lock()
	s.lost = lost
	s.mu.Unlock()
	s.failed.Set()
	for {
		s.mu.Lock()
		session, turned := s.session, s.turned
		s.mu.Unlock()
		if session != lost {
			return session
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *server) isLost(session *mcp.ClientSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost == session
}

// keep keeps the server connected until ctx ends. It waits longer each time before it tries
// a server again that is away, or that did not stay. A session that the server has lost is
// renewed at once.
func (s *server) keep(ctx context.Context) {
	news, hasty := true, false // that the server is away, and that it lost a session at once
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		began := time.Now()
		reached, err := s.stay(ctx)
		if ctx.Err() != nil {
			return
		}
		lasted := time.Since(began)
		if lasted > mostPause {
			pause = leastPause
		}
		if errors.Is(err, errLost) && !hasty {
			hasty = lasted < leastPause
			s.log.InfoContext(ctx, "an MCP server has lost its session, which is renewed")
			continue
		}
		_, tools := s.now()
		s.set(nil, tools)
		if news || reached {
			s.log.WarnContext(ctx, "an MCP server is away, the model answers without its tools until it is back; check MCP_SERVERS and the server", "problem", problem(err))
		}
		news, hasty = false, false
		if wait.For(ctx, pause) != nil {
			return
		}
	}
}

// stay connects the server and stays connected until it goes away or ctx ends. It reports
// whether the server was reached, and why it is away.
func (s *server) stay(ctx context.Context) (reached bool, err error) {
	c, err := s.reach(ctx)
	if err != nil {
		return false, err
	}
	defer c.end()
	tools, err := s.list(ctx, c.session)
	if err != nil {
		return false, fmt.Errorf("list its tools: %w", err)
	}
	s.lend(ctx, c.session, tools)
	s.log.InfoContext(ctx, "an MCP server is connected", "tools", len(tools))
	return true, s.watch(ctx, c)
}

// lend lends the tools of a session. It warns of those that the server did not lend before in
// this form, as nobody may have looked at them yet.
func (s *server) lend(ctx context.Context, session *mcp.ClientSession, tools []*lent) {
	before := s.set(session, tools)
	if before == nil {
		return
	}
	var news []string
	for _, tool := range tools {
		if !slices.ContainsFunc(before, func(old *lent) bool { return old.spec == tool.spec }) {
			news = append(news, tool.spec.Name)
		}
	}
	if len(news) > 0 {
		s.log.WarnContext(ctx, "an MCP server has tools that are new or changed, and the model may call them; look at what they do", "tools", news)
	}
}

// errLost means that the server no longer knows the session.
var errLost = errors.New("it no longer knows the session")

// watch waits until a session ends, is lost, or shows no sign of life. What changes meanwhile it
// has the server name again.
func (s *server) watch(ctx context.Context, c *connection) error {
	session, ended := c.session, c.ended()
	look := time.NewTicker(alive)
	defer look.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err = <-ended:
			return cmp.Or(err, mcp.ErrConnectionClosed)
		case <-s.changed:
			err = s.again(ctx, session)
		case <-s.failed:
			if s.isLost(session) {
				return errLost
			}
			err = ping(ctx, session)
		case <-look.C:
			err = ping(ctx, session)
		}
		if err != nil {
			return err
		}
	}
}

// again has the server name its tools once more. If it fails, the tools stay, unless the session
// is gone.
func (s *server) again(ctx context.Context, session *mcp.ClientSession) error {
	tools, err := s.list(ctx, session)
	if err != nil {
		return ping(ctx, session)
	}
	s.lend(ctx, session, tools)
	return wait.For(ctx, leastPause) // some servers say it often
}

// Examine connects the server once, and returns the names of its tools.
func (s Server) Examine(ctx context.Context) ([]string, error) {
	one := newServer(s, slog.New(slog.DiscardHandler))
	c, err := one.reach(ctx)
	if err != nil {
		return nil, errors.New(problem(err))
	}
	defer c.end()
	tools, err := one.list(ctx, c.session)
	if err != nil {
		return nil, errors.New(problem(err))
	}
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.spec.Name
	}
	return names, nil
}
