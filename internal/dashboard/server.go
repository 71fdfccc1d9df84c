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

//go:embed web/dashboard.js
var script embed.FS

//go:embed web/dashboard.css
var style string

//go:embed body.html
var body string

// Serving configures how a dashboard is served.
type Serving struct {
	Address string // host:port, of a loopback address unless there is a token
	Token   string // the password that every request must carry; "" for none
	// Text returns the text and the author's name of a message that heddle's history
	// still holds. Nil hides all texts.
	Text    func(channel graph.ChannelID, message graph.MessageID) (text, name string, held bool)
	Pulse   func() []Reading // returns the current counters and gauges
	Modules fs.FS            // the scripts and styles that the page shares with that of heddle try
}

// ErrOpen means that the address is not a loopback address and no token is set.
var ErrOpen = errors.New("the dashboard would be open to other machines without a token")

// Server is a running dashboard.
type Server struct {
	http    *http.Server
	address net.Addr
	running sync.WaitGroup
	stop    context.CancelFunc
}

// Start starts a server of the dashboard, which serves until Close. It returns ErrOpen
// if other machines could reach it without a token.
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
	page, err := s.page()
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	kept, stop := context.WithCancel(context.WithoutCancel(ctx))
	server := &Server{
		http: &http.Server{
			Handler: s.guard(listener.Addr().String(), page.Policy(), d.pages(s, page)), ReadHeaderTimeout: 10 * time.Second,
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

// page assembles the page.
func (s *Serving) page() (*drawing.Page, error) {
	return drawing.NewPage(drawing.Parts{Title: "heddle: what it just did", Shared: s.Modules, Prefix: "modules/", Style: style, Script: "dashboard.js", Body: body})
}

// pages returns the handler of the page and of what it loads.
func (d *Dashboard) pages(s Serving, page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", page)
	mux.HandleFunc("GET /dashboard.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, script, "web/dashboard.js") })
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

// guard refuses requests without the token. If there is no token, it refuses requests
// for any host but address or localhost, because another site could point its own name
// at this address. policy is the Content-Security-Policy of responses.
func (s *Serving) guard(address, policy string, next http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(address) // a listener's own
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		_, given, _ := r.BasicAuth()
		switch {
		case s.Token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(s.Token)) != 1:
			h.Set("WWW-Authenticate", `Basic realm="heddle", charset="UTF-8"`)
			http.Error(w, "the dashboard needs its token as the password", http.StatusUnauthorized)
		case s.Token == "" && r.Host != address && r.Host != "localhost:"+port:
			http.Error(w, "the dashboard is served under its own address only", http.StatusMisdirectedRequest)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
