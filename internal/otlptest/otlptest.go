// Package otlptest is an OpenTelemetry collector for tests. It accepts traces over
// HTTP, as protocol buffers, and records them.
package otlptest

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// most bounds the body of a request.
const most = 16 << 20

// Server is a collector. Its methods may be called from any goroutine.
//
// mu guards the fields below it.
type Server struct {
	http *httptest.Server

	mu      sync.Mutex
	refuses int
	spans   []*traces.Span
	headers []http.Header
	changed chan struct{} // closed and replaced when something comes
}

// Start starts a collector, which the caller must close.
func Start() *Server {
	s := &Server{changed: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.take))
	return s
}

// Close ends the collector.
func (s *Server) Close() { s.http.Close() }

// URL returns the address that OTEL_EXPORTER_OTLP_ENDPOINT takes.
func (s *Server) URL() string { return s.http.URL }

// Refuse makes the collector refuse further requests with a status, or accept them
// again if status is 0.
func (s *Server) Refuse(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = status
}

// Headers returns the headers of all requests.
func (s *Server) Headers() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.headers)
}

// Await waits until fits returns true for the spans received so far, and returns them.
func (s *Server) Await(ctx context.Context, fits func([]*traces.Span) bool) ([]*traces.Span, error) {
	for {
		s.mu.Lock()
		spans, changed := slices.Clone(s.spans), s.changed
		s.mu.Unlock()
		if fits(spans) {
			return spans, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return spans, fmt.Errorf("wait for spans: %w", ctx.Err())
		}
	}
}

// take records the spans of a request.
func (s *Server) take(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		http.Error(w, "this takes traces", http.StatusNotFound)
		return
	}
	request, err := decode(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.headers = append(s.headers, r.Header.Clone())
	close(s.changed)
	s.changed = make(chan struct{})
	if s.refuses != 0 {
		w.WriteHeader(s.refuses)
		return
	}
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			s.spans = append(s.spans, scope.GetSpans()...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf") // an empty body is a valid response
}

// decode reads the body of a request, which may be compressed.
func decode(r *http.Request) (*collector.ExportTraceServiceRequest, error) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("unpack a request: %w", err)
		}
		body = unpacked
	}
	raw, err := io.ReadAll(io.LimitReader(body, most))
	if err != nil {
		return nil, fmt.Errorf("read a request: %w", err)
	}
	request := new(collector.ExportTraceServiceRequest)
	if err := proto.Unmarshal(raw, request); err != nil {
		return nil, fmt.Errorf("decode a request: %w", err)
	}
	return request, nil
}
