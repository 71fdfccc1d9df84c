package discordtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"heddle/graph"
)

// Options say how a server is. The zero value is Discord as it was observed.
type Options struct {
	// Addr to listen on; empty is a free port of 127.0.0.1.
	Addr string
	// Clock tells the time; nil is time.Now. Signed addresses, edit times, new
	// ids and rate limits go by it.
	Clock func() time.Time
	// Limits on requests; nil is DefaultLimits. NoLimits gives none.
	Limits *Limits
	// Heartbeat is the interval that HELLO asks for; zero is Discord's 41.25 s.
	Heartbeat time.Duration
	// MaxConcurrency is how many shards may identify at once; zero is 1.
	MaxConcurrency int
	// Records is how many requests are kept for Requests; zero is 10,000, the
	// oldest go first.
	Records int
	// AnswerWithin is how long a bot has for its first answer to an interaction;
	// zero is Discord's 3 s.
	AnswerWithin time.Duration
}

// Server is a Discord of our own. Close it when done.
type Server struct {
	options Options
	clock   func() time.Time
	addr    string
	http    *http.Server
	mux     *http.ServeMux
	secret  []byte // signs attachment addresses

	mentionPattern *regexp.Regexp
	upgrader       websocket.Upgrader
	limiter        *limiter

	done    chan struct{} // closed by Close
	once    sync.Once
	running sync.WaitGroup

	mu        sync.RWMutex
	world     world
	ids       snowflakes
	salt      atomic.Uint32 // makes every signed address another one
	watchers  map[*Watcher]struct{}
	changed   chan struct{} // closed when something changed; nil while nobody waits
	requests  []*Request
	counts    map[string]int
	faults    []*Injection
	sessions  map[string]*session
	sockets   map[*socket]struct{}
	identify  []*Handshake
	rewriters []*interceptor
	held      []event
	holding   int
	opened    int // sockets ever opened
	begun     int // sessions ever begun
}

// New starts a server. It panics when no loopback address can be listened on.
func New(o Options) *Server {
	s := &Server{
		options: o, clock: o.Clock, mux: http.NewServeMux(),
		secret: []byte("discordtest"), mentionPattern: newMentionPattern(),
		upgrader: websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }},
		done:     make(chan struct{}), world: newWorld(),
		watchers: map[*Watcher]struct{}{}, counts: map[string]int{},
		sessions: map[string]*session{}, sockets: map[*socket]struct{}{},
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	limits := o.Limits
	if limits == nil {
		limits = DefaultLimits()
	}
	s.limiter = newLimiter(*limits)
	s.addRoutes()
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", o.Addr)
	if err != nil {
		panic(fmt.Sprintf("discordtest: listen on %s: %v", o.Addr, err))
	}
	s.addr = listener.Addr().String()
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: time.Minute}
	s.running.Go(func() { _ = s.http.Serve(listener) })
	return s
}

// URL is the base of the REST API, ending in /api. Versions follow it: /v9, /v10.
func (s *Server) URL() string { return "http://" + s.addr + "/api" }

// GatewayURL is what the REST API answers at /gateway.
func (s *Server) GatewayURL() string { return "ws://" + s.addr + "/gateway" }

// CDN is the address that attachments are served under.
func (s *Server) CDN() string { return "http://" + s.addr + cdnPrefix }

// Close stops listening, cuts every connection and waits for everything it started.
func (s *Server) Close() {
	s.once.Do(func() {
		s.mu.Lock()
		close(s.done)
		s.mu.Unlock()
		_ = s.http.Close()
		s.mu.Lock()
		for k := range s.sockets {
			k.cut()
		}
		s.mu.Unlock()
	})
	s.running.Wait()
}

// nextID is called with the lock held.
func (s *Server) nextID() uint64 { return s.ids.next(s.clock()) }

func botToken(id graph.UserID) string { return "token." + id.String() + ".discordtest" }

// serve is the whole of the server's HTTP.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	closed := s.closed()
	if !closed {
		s.running.Add(1) // before Close can begin to wait
	}
	s.mu.RUnlock()
	if closed {
		panic(http.ErrAbortHandler)
	}
	defer s.running.Done()
	s.mux.ServeHTTP(w, r)
}

func (s *Server) closed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}
