package openaitest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"heddle/internal/waittest"
)

// Config configures a Server. The zero Config is usable.
type Config struct {
	Models []string // the models that /v1/models lists; nil is "test-model"
	// Script answers requests for which no reply is queued. Nil answers them with
	// status 500. Several goroutines may call it at once.
	Script func(Request) Reply
	// Listener accepts the connections. Nil listens on a free loopback port. Tests in a
	// synctest bubble use one in memory.
	Listener net.Listener
}

// Server is a running server. Its methods may be called from any goroutine.
type Server struct {
	config  Config
	server  *http.Server
	url     string
	closing chan struct{}
	served  chan struct{}
	once    sync.Once
	hear    atomic.Pointer[func(Voice) Reply] // see Hears

	mu       waittest.Monitor
	queue    []Reply
	requests []Request
	voices   []Voice
	active   int
	hangups  int
}

// Start starts a server, which serves until Close.
func Start(config Config) (*Server, error) {
	if config.Models == nil {
		config.Models = []string{"test-model"}
	}
	listener := config.Listener
	if listener == nil {
		var err error
		if listener, err = new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("listen on loopback: %w", err)
		}
	}
	s := &Server{
		config:  config,
		url:     "http://" + listener.Addr().String() + "/v1",
		closing: make(chan struct{}),
		served:  make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.serveChat)
	mux.HandleFunc("POST /v1/audio/transcriptions", s.serveVoice)
	mux.HandleFunc("GET /v1/models", s.serveModels)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.served)
		_ = s.server.Serve(listener) // always ErrServerClosed: only Close ends it
	}()
	return s, nil
}

// Close ends every answer, stalled ones included, and waits until all are gone.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.closing) })
	err := s.server.Close()
	<-s.served
	if _, waitErr := s.await(context.Background(), "the answers under way to end", func() bool { return s.active == 0 }); waitErr != nil {
		return waitErr
	}
	if err != nil {
		return fmt.Errorf("close the model server: %w", err)
	}
	return nil
}

// URL returns the base address for clients, which ends in /v1.
func (s *Server) URL() string { return s.url }

// Queue adds replies. Each answers one request, in order.
func (s *Server) Queue(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, replies...)
}

// Requests returns all requests so far, in their order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Await waits until at least n requests have come and returns all of them.
func (s *Server) Await(ctx context.Context, n int) ([]Request, error) {
	return s.await(ctx, fmt.Sprintf("%d requests", n), func() bool { return len(s.requests) >= n })
}

// AwaitHangups waits until clients have hung up on at least n unfinished answers.
func (s *Server) AwaitHangups(ctx context.Context, n int) error {
	_, err := s.await(ctx, fmt.Sprintf("%d hang-ups", n), func() bool { return s.hangups >= n })
	return err
}

// await waits until reached, which it calls with the lock held, reports true.
func (s *Server) await(ctx context.Context, what string, reached func() bool) ([]Request, error) {
	err := s.mu.Await(ctx, reached, func() string {
		return fmt.Sprintf("%s: the model server had %d requests, %d of them unanswered and %d hung up on", what, len(s.requests), s.active, s.hangups)
	})
	return s.Requests(), err
}

// update changes the server's state and wakes every await.
func (s *Server) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.mu.Wake()
}
