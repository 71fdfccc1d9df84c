package openaitest

import (
	"context"
	"net"
	"net/http"
	"time"
)

// connKey is the context key of a request's connection.
type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// noteState records when the next request of a connection began.
func (s *Server) noteState(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateActive:
		s.begun[conn] = time.Now()
	case http.StateClosed, http.StateHijacked:
		delete(s.begun, conn)
	case http.StateNew, http.StateIdle:
	}
}

// began returns when the first byte of a request came.
func (s *Server) began(r *http.Request) time.Time {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun[conn]
}
