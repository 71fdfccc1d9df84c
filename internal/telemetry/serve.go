package telemetry

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Server serves over HTTP what heddle shows of itself, and keeps other sites from reading
// it. A site can point a name of its own at any address (DNS rebinding); a browser then
// takes what listens there for that site, and lets its scripts read everything. Requests
// name the site as their host.
type Server struct {
	http    *http.Server
	address net.Addr
	running sync.WaitGroup
}

// Serve listens on an address of the form host:port and serves until Close.
func Serve(ctx context.Context, address string, handler http.Handler) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return ServeOn(listener, address, handler), nil
}

// ServeOn serves on a listener until Close. It answers only requests whose host nobody else can
// have pointed here: an address, a name without dots, such as localhost or that of a
// container, or the host of named, the address by which the operator had heddle listen.
func ServeOn(listener net.Listener, named string, handler http.Handler) *Server {
	// No limit is set for writing: streams, profiles and downloads take as long as they take.
	s := &Server{
		http:    &http.Server{Handler: refuseOthers(named, handler), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute},
		address: listener.Addr(),
	}
	s.running.Go(func() { _ = s.http.Serve(listener) }) // always ErrServerClosed: Close alone ends it
	return s
}

// Address returns the address that the server listens on.
func (s *Server) Address() string { return s.address.String() }

// Close ends all requests, and waits until the server has stopped.
func (s *Server) Close() error {
	err := s.http.Close()
	s.running.Wait()
	if err != nil {
		return fmt.Errorf("stop serving %s: %w", s.address, err)
	}
	return nil
}

func refuseOthers(named string, next http.Handler) http.Handler {
	own := hostOf(named)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r.Host)
		if net.ParseIP(host) == nil && strings.Contains(host, ".") && !strings.EqualFold(host, own) {
			http.Error(w, "heddle answers only under an address, a name without dots or the host that its settings name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf returns the host of an address with or without a port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}
