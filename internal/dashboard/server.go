package dashboard

import (
	"context"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/drawing"
)

//go:embed web
var web embed.FS

//go:embed body.html
var body string

// Serving is how a dashboard is served.
type Serving struct {
	Address string // host:port, of a loopback address unless there is a token
	Token   string // what every request needs; "" for none
	// Text returns the text and the author's name of a message that heddle's history
	// still holds. Nil hides all texts.
	Text    func(channel graph.ChannelID, message graph.MessageID) (text, name string, held bool)
	Pulse   func() []Reading // counts and gauges of now
	Modules fs.FS            // the scripts and styles that the page shares with that of heddle try
}

// ErrOpen means that a dashboard would be open to other machines.
var ErrOpen = errors.New("the dashboard would be open to other machines without a token")

// Server is a dashboard that is served.
type Server struct {
	http    *http.Server
	address net.Addr
	running sync.WaitGroup
	stop    context.CancelFunc
}

// Start serves a dashboard until Close.
func (d *Dashboard) Start(ctx context.Context, s Serving) (*Server, error) {
	host, _, err := net.SplitHostPort(s.Address)
	if err != nil {
		return nil, fmt.Errorf("read the address %s: %w", s.Address, err)
	}
	if ip := net.ParseIP(host); s.Token == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, ErrOpen
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", s.Address, err)
	}
	kept, stop := context.WithCancel(context.WithoutCancel(ctx))
	server := &Server{
		http: &http.Server{
			Handler: guard(s.Token, listener.Addr().String(), d.pages(s)), ReadHeaderTimeout: 10 * time.Second,
			WriteTimeout: time.Minute, IdleTimeout: time.Minute,
		},
		address: listener.Addr(), stop: stop,
	}
	server.running.Go(func() { d.Run(kept) })
	server.running.Go(func() { _ = server.http.Serve(listener) }) // always ErrServerClosed: Close alone ends it
	return server, nil
}

// Address returns the address that the server listens on.
func (s *Server) Address() string { return s.address.String() }

// Close stops the server and waits until it has stopped.
func (s *Server) Close() error {
	s.stop()
	err := s.http.Close()
	s.running.Wait()
	if err != nil {
		return fmt.Errorf("stop the dashboard: %w", err)
	}
	return nil
}

func (d *Dashboard) pages(s Serving) http.Handler {
	own, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the directory is embedded
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", drawing.Page{Title: "heddle: what it just did", Modules: "modules/", Style: "dashboard.css", Script: "dashboard.js", Body: body})
	mux.Handle("GET /", http.FileServerFS(own))
	mux.Handle("GET /modules/", http.StripPrefix("/modules/", http.FileServerFS(s.Modules)))
	mux.HandleFunc("GET /api/answers", func(w http.ResponseWriter, _ *http.Request) {
		answers, missed := d.list()
		answer(w, http.StatusOK, map[string]any{"answers": answers, "missed": missed, "texts": s.Text != nil})
	})
	mux.HandleFunc("GET /api/answers/{number}", func(w http.ResponseWriter, r *http.Request) {
		number, err := strconv.Atoi(r.PathValue("number"))
		drawn, known := d.drawn(number)
		if err != nil || !known {
			answer(w, http.StatusNotFound, map[string]string{"error": "that answer is no longer kept here"})
			return
		}
		answer(w, http.StatusOK, map[string]any{"drawing": drawn, "texts": s.texts(&drawn)})
	})
	mux.HandleFunc("GET /api/pulse", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.Pulse()) })
	return mux
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // fails only if the page is gone
}

// guard refuses requests without the token. If there is no token, it refuses those for
// another host: another site can point its own name at this address.
func guard(token, address string, next http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(address) // a listener's own
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		_, given, _ := r.BasicAuth()
		switch {
		case token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1:
			h.Set("WWW-Authenticate", `Basic realm="heddle", charset="UTF-8"`)
			http.Error(w, "the dashboard needs its token as the password", http.StatusUnauthorized)
		case token == "" && r.Host != address && r.Host != "localhost:"+port:
			http.Error(w, "the dashboard is served under its own address only", http.StatusMisdirectedRequest)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
