// Package health tells operators and their machines over HTTP whether heddle lives,
// whether it answers, and how it fares. Nothing of what people wrote is told.
package health

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The paths that are served.
const (
	Live    = "/livez"   // 200 as long as the process serves
	Ready   = "/readyz"  // 200 when everything works that answers need, else 503 and what does not
	Metrics = "/metrics" // in Prometheus' text format
)

// patience bounds every exchange.
const patience = 10 * time.Second

// Check is something that answers need. It gives a sentence as an error where that
// does not work, and may be called from several goroutines at once.
type Check func(context.Context) error

// Server is a running server.
type Server struct {
	http    *http.Server
	address net.Addr
	ended   chan struct{}
}

// Start serves on an address of the form host:port, until Close.
func Start(ctx context.Context, address string, checks []Check, metrics prometheus.Gatherer) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Live, func(w http.ResponseWriter, _ *http.Request) { tell(w, nil) })
	mux.HandleFunc("GET "+Ready, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		var faults []error
		for _, check := range checks {
			faults = append(faults, check(ctx))
		}
		tell(w, errors.Join(faults...))
	})
	mux.Handle("GET "+Metrics, promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	s := &Server{
		http:    &http.Server{Handler: mux, ReadTimeout: patience, WriteTimeout: 2 * patience, IdleTimeout: time.Minute},
		address: listener.Addr(),
		ended:   make(chan struct{}),
	}
	go func() {
		defer close(s.ended)
		_ = s.http.Serve(listener) // always ErrServerClosed: Close alone ends it
	}()
	return s, nil
}

// tell says whether all is well, or in a line each what is not.
func tell(w http.ResponseWriter, fault error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if fault != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, fault.Error()+"\n") // who is gone hears nothing
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// Address is what it listens on.
func (s *Server) Address() string { return s.address.String() }

// Close ends the server and waits for its end.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.ended
	if err != nil {
		return fmt.Errorf("stop telling of health: %w", err)
	}
	return nil
}

// ErrNotReady is met when heddle runs and does not answer; what it wraps says why.
var ErrNotReady = errors.New("heddle is not ready")

// Ask asks the heddle that listens on an address of this machine whether it is ready,
// and gives nil where it is.
func Ask(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost" // what listens everywhere listens here
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
		return fmt.Errorf("what answers on %s is not heddle", address)
	}
}
