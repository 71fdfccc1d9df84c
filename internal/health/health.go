// Package health serves liveness, readiness and metrics over HTTP. None of them
// contains what people wrote.
package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The paths of the server.
const (
	Live    = "/livez"   // 200 while the process runs
	Ready   = "/readyz"  // 200 if every required check passes, else 503 and the checks that failed
	Each    = "/readyz/" // and the name of a check: 200 if that one passes, else 503
	Metrics = "/metrics" // in Prometheus' text format
)

// patience bounds every request with its response.
const patience = 10 * time.Second

// Check checks something that heddle depends on. Ask may be called from several
// goroutines at once. Its error is a sentence for the operator.
type Check struct {
	Name     string // one word, for Each
	Required bool   // heddle is not ready if it fails
	Ask      func(context.Context) error
}

// Server is a running server.
type Server struct {
	http    *http.Server
	address net.Addr
	running sync.WaitGroup
}

// Start starts a server on an address of the form host:port. It serves until Close.
func Start(ctx context.Context, address string, checks []Check, metrics prometheus.Gatherer) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Live, func(w http.ResponseWriter, _ *http.Request) { reply(w, nil) })
	mux.HandleFunc("GET "+Ready, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		var faults []error
		for _, check := range checks {
			if check.Required {
				faults = append(faults, check.Ask(ctx))
			}
		}
		reply(w, errors.Join(faults...))
	})
	for _, check := range checks {
		mux.HandleFunc("GET "+Each+check.Name, func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), patience)
			defer cancel()
			reply(w, check.Ask(ctx))
		})
	}
	mux.Handle("GET "+Metrics, promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	return serve(listener, mux, 2*patience), nil
}

// StartProfiles starts a server of Go's profiles on an address of the form host:port.
// Other machines should not be able to reach it. It serves until Close.
func StartProfiles(ctx context.Context, address string) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return serve(listener, mux, 0), nil // no timeout, because a profile takes as long as was requested
}

// serve serves until the Server that it returns is closed.
func serve(listener net.Listener, handler http.Handler, writing time.Duration) *Server {
	s := &Server{
		http:    &http.Server{Handler: handler, ReadTimeout: patience, WriteTimeout: writing, IdleTimeout: time.Minute},
		address: listener.Addr(),
	}
	s.running.Go(func() { _ = s.http.Serve(listener) }) // always ErrServerClosed: Close alone ends it
	return s
}

// reply writes "ok" or the faults, one per line.
func reply(w http.ResponseWriter, fault error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if fault != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, fault.Error()+"\n") // the client may be gone
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// Address returns the address that the server listens on.
func (s *Server) Address() string { return s.address.String() }

// Close stops the server and waits until it has stopped.
func (s *Server) Close() error {
	err := s.http.Close()
	s.running.Wait()
	if err != nil {
		return fmt.Errorf("stop serving health: %w", err)
	}
	return nil
}

// ErrNotReady is returned if heddle runs but cannot answer. Errors that wrap it give
// the reasons.
var ErrNotReady = errors.New("heddle is not ready")

// Ask asks the heddle that listens on an address of this machine whether it is ready.
// It returns nil if it is, and an error that wraps ErrNotReady if it is not.
func Ask(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost" // a server on every address listens here
	}
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+Ready, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // through no proxy
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("no heddle answers on %s; does it run, with the same HEALTH_ADDR?", address)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	const most = 4 << 10
	body, err := io.ReadAll(io.LimitReader(response.Body, most))
	switch {
	case err != nil:
		return fmt.Errorf("ask for health: %w", err)
	case response.StatusCode == http.StatusOK && string(body) == "ok\n":
		return nil
	case response.StatusCode == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: %s", ErrNotReady, strings.ReplaceAll(strings.TrimSpace(string(body)), "\n", "; "))
	default:
		return fmt.Errorf("the server on %s is not heddle", address)
	}
}
