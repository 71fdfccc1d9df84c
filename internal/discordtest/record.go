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
	"heddle/internal/waittest"
)

// maxRecords is the number of requests that a Record keeps. The oldest go first.
const maxRecords = 10_000

// Request is one REST request as it came in.
type Request struct {
	Method string
	Path   string // without /api and version
	Route  string // one of the Route constants
	Query  url.Values
	Header http.Header
	// Body is the JSON sent: the payload_json of a multipart request.
	Body []byte
	// Files are the names of the files that came with it.
	Files []string
	Bot   graph.UserID // zero if the token is not known
	At    time.Time
	// Status is the status answered: 0 while the request is worked on, -1 if its
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

// Channel returns the channel that the request's path names; zero if it names none.
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
		Query: r.URL.Query(), Header: r.Header, Body: body.payload, At: now,
	}
	for _, f := range body.files {
		record.Files = append(record.Files, f.name)
	}
	return record
}

// Record holds the requests that came in, in their order.
type Record struct {
	mu       *waittest.Monitor
	requests []*Request
	files    int
	bytes    int64 // of files
}

// add records a request. The caller holds the lock.
func (l *Record) add(r *Request) {
	if len(l.requests) >= maxRecords {
		l.requests = slices.Delete(l.requests, 0, maxRecords/4)
	}
	l.requests = append(l.requests, r)
	l.mu.Wake()
}

// answered records the status that a request was answered with.
func (l *Record) answered(r *Request, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Status = status
	l.mu.Wake()
}

// countFile counts a file that was fetched.
func (l *Record) countFile() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files++
	l.mu.Wake()
}

// counting counts the bytes of files that are sent.
type counting struct {
	http.ResponseWriter

	record *Record
}

func (c counting) Write(data []byte) (int, error) {
	n, err := c.ResponseWriter.Write(data)
	c.record.mu.Lock()
	defer c.record.mu.Unlock()
	c.record.bytes += int64(n)
	return n, err //nolint:wrapcheck // it is a writer's own
}

// On returns a match for requests to any of the given routes.
func On(routes ...string) func(Request) bool {
	return func(r Request) bool { return slices.Contains(routes, r.Route) }
}

// Requests returns the recorded requests that fit, oldest first. Nil fits all.
func (l *Record) Requests(fits func(Request) bool) []Request {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.fitting(fits)
}

// fitting implements Requests. The caller holds the lock.
func (l *Record) fitting(fits func(Request) bool) []Request {
	var all []Request
	for _, r := range l.requests {
		if fits == nil || fits(*r) {
			all = append(all, *r)
		}
	}
	return all
}

// Count returns how many recorded requests a route had.
func (l *Record) Count(route string) int { return len(l.Requests(On(route))) }

// Files returns how many requests the CDN had since the start or the last Forget.
func (l *Record) Files() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.files
}

// FileBytes returns how many bytes of files the CDN sent since the start or the last Forget.
func (l *Record) FileBytes() int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.bytes
}

// Forget empties the record.
func (l *Record) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests, l.files, l.bytes = nil, 0, 0
}

// AwaitRequests waits until at least n recorded requests fit and returns all that do. A Fault
// may still hold one: its Status is then 0.
func (l *Record) AwaitRequests(ctx context.Context, n int, fits func(Request) bool) ([]Request, error) {
	var found []Request
	err := l.mu.Await(ctx, func() bool {
		found = l.fitting(fits)
		return len(found) >= n
	}, func() string {
		return fmt.Sprintf("%d requests that fit, %d so far among %d recorded", n, len(found), len(l.requests))
	})
	return found, err
}
