package discordtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"heddle/internal/waittest"
)

// Options configure a Server. The zero value behaves as Discord was observed to.
type Options struct {
	// Addr is the address to listen on. Empty is a free port of 127.0.0.1.
	Addr string
	// Clock returns the time that ids, edit times, signed addresses, nonces and
	// rate limits go by. Nil is time.Now.
	Clock func() time.Time
	// Limits are the rate limits. Nil is DefaultLimits; NoLimits switches them off.
	Limits *Limits
	// Shards is the number of shards that the server recommends. Zero is 1. See
	// Gateway.Recommend.
	Shards int
	// MaxConcurrency is the number of shards that may identify at once. Zero is 1.
	MaxConcurrency int
	// AnswerWithin is how long a bot may take to answer an interaction. Zero is
	// Discord's 3 s.
	AnswerWithin time.Duration
	// Inspect is called for each REST request before it is answered, from many goroutines.
	// It may be nil.
	Inspect func(Request)
}

// Server is a fake Discord. The caller must Close it.
type Server struct {
	// World holds guilds, roles and channels.
	World *World
	// People holds accounts and their memberships in guilds.
	People *People
	// Chat lets people write and read in channels.
	Chat *Chat
	// Interactions lets people press buttons, use commands and send modals.
	Interactions *Interactions
	// Gateway counts what is connected, and breaks connections.
	Gateway *Gateway
	// Events are what the gateway sends.
	Events *Events
	// Record holds the requests that came in.
	Record *Record
	// Faults makes requests fail.
	Faults *Faults

	addr string
	http *http.Server
	mux  *http.ServeMux

	state   *waittest.Monitor // guards the world and the gateway
	done    chan struct{}
	once    sync.Once
	running sync.WaitGroup
}

// New starts a server. It panics if it cannot listen on its address.
func New(o Options) *Server {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Limits == nil {
		o.Limits = DefaultLimits()
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", o.Addr)
	if err != nil {
		panic(fmt.Sprintf("discordtest: listen on %s: %v", o.Addr, err))
	}
	s := &Server{addr: listener.Addr().String(), mux: http.NewServeMux(), done: make(chan struct{})}
	s.assemble(o)
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: time.Minute}
	s.running.Go(func() { _ = s.http.Serve(listener) })
	return s
}

// assemble makes the parts of a server whose addresses are known.
func (s *Server) assemble(o Options) {
	s.state = &waittest.Monitor{Closed: s.done}
	requests := &waittest.Monitor{Closed: s.done}
	s.Record = &Record{mu: requests}
	s.Faults = &Faults{mu: requests}

	s.Events = &Events{mu: s.state, sessions: map[string]*session{}}
	w := newWorld(s.state, o, "http://"+s.addr)
	w.emit = s.Events.dispatch
	s.World, s.People, s.Chat, s.Interactions = &World{w}, &People{w}, &Chat{w}, &Interactions{w}
	s.Gateway = newGateway(w, s.Events, o, s.GatewayURL())

	api := &rest{
		world: w, record: s.Record, faults: s.Faults, limiter: newLimiter(o), inspect: o.Inspect, gateway: s.Gateway,
	}
	s.mux.Handle("/api/", api.handler())
	s.mux.HandleFunc("/gateway", s.Gateway.serve)
	s.mux.HandleFunc("/gateway/", s.Gateway.serve)
	files := &cdn{world: w, record: s.Record}
	s.mux.Handle("GET "+cdnPrefix+"/", files)
	s.mux.Handle("GET "+proxyPrefix+"/", files)
}

// URL returns the base of the REST API, which ends in /api. The version follows it: /v10.
func (s *Server) URL() string { return "http://" + s.addr + "/api" }

// GatewayURL returns the address that the REST API answers at /gateway.
func (s *Server) GatewayURL() string { return "ws://" + s.addr + "/gateway" }

// CDN returns the address below which attachments are served.
func (s *Server) CDN() string { return "http://" + s.addr + cdnPrefix }

// Close stops listening, cuts every connection and waits for everything it started.
func (s *Server) Close() {
	s.once.Do(func() {
		s.state.Lock()
		close(s.done)
		s.state.Unlock()
		_ = s.http.Close()
		s.Gateway.CloseSockets(0)
	})
	s.running.Wait()
}

// serve answers every HTTP request, websockets included.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.state.RLock()
	closed := s.state.IsClosed()
	if !closed {
		s.running.Add(1) // before Close can begin to wait
	}
	s.state.RUnlock()
	if closed {
		panic(http.ErrAbortHandler)
	}
	defer s.running.Done()
	s.mux.ServeHTTP(w, r)
}
