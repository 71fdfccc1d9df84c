package discordtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"heddle/graph"
)

const defaultRecords = 10_000

// Request is one REST request as it came in.
type Request struct {
	Method string
	Path   string // without /api and version
	Route  string // one of the Route constants
	Query  url.Values
	Header http.Header
	// Body is the JSON sent, of a multipart request its payload_json.
	Body []byte
	// Files are the names of the files that came with it.
	Files []string
	Bot   graph.UserID // zero if the token is not known
	At    time.Time
	// Status is what was answered: 0 while it is being worked on, -1 if the
	// connection was cut.
	Status int
}

// Decode reads the request's JSON into v.
func (r *Request) Decode(v any) error {
	if err := json.Unmarshal(r.Body, v); err != nil {
		return fmt.Errorf("decode body of %s: %w", r.Route, err)
	}
	return nil
}

// Channel is the channel that the request's path names; zero if it names none.
func (r *Request) Channel() graph.ChannelID {
	rest, ok := strings.CutPrefix(r.Path, "/channels/")
	if !ok {
		return 0
	}
	id, _, _ := strings.Cut(rest, "/")
	return graph.ChannelID(idOf(id))
}

func newRequest(r *http.Request, route string, body *requestBody, now time.Time) *Request {
	record := &Request{
		Method: r.Method, Path: r.URL.Path, Route: route,
		Query: r.URL.Query(), Header: r.Header, At: now,
	}
	if body != nil {
		record.Body = body.payload
		for _, f := range body.files {
			record.Files = append(record.Files, f.name)
		}
	}
	return record
}

func (s *Server) recordLocked(r *Request) {
	limit := s.options.Records
	if limit <= 0 {
		limit = defaultRecords
	}
	if len(s.requests) >= limit {
		s.requests = slices.Delete(s.requests, 0, max(limit/4, 1))
	}
	s.requests = append(s.requests, r)
	s.counts[r.Route]++
	s.wakeLocked()
}

func (s *Server) answered(r *Request, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Status = status
	s.wakeLocked()
}

// On fits requests to any of the given routes.
func On(routes ...string) func(Request) bool {
	return func(r Request) bool { return slices.Contains(routes, r.Route) }
}

// Requests are the recorded requests that fit, oldest first; nil fits all.
func (s *Server) Requests(fits func(Request) bool) []Request {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []Request
	for _, r := range s.requests {
		if fits == nil || fits(*r) {
			all = append(all, *r)
		}
	}
	return all
}

// Count is how many requests a route ever had, or since the last ForgetRequests.
func (s *Server) Count(route string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.counts[route]
}

// ForgetRequests empties the record and sets the counts to zero.
func (s *Server) ForgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
	clear(s.counts)
}

// AwaitRequest waits for a request that fits, recorded ones included. The
// request may still be held by a Fault: its Status is then 0.
func (s *Server) AwaitRequest(ctx context.Context, fits func(Request) bool) (Request, error) {
	var found Request
	err := s.await(ctx, "a request", func() bool {
		i := slices.IndexFunc(s.requests, func(r *Request) bool { return fits(*r) })
		if i >= 0 {
			found = *s.requests[i]
		}
		return i >= 0
	})
	return found, err
}

// AwaitRequests waits until at least n recorded requests fit.
func (s *Server) AwaitRequests(ctx context.Context, n int, fits func(Request) bool) ([]Request, error) {
	var found []Request
	err := s.await(ctx, "requests", func() bool {
		found = found[:0]
		for _, r := range s.requests {
			if fits(*r) {
				found = append(found, *r)
			}
		}
		return len(found) >= n
	})
	return found, err
}
