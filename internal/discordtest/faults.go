package discordtest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"heddle/internal/waittest"
)

// Fault describes how requests fail. It is said to strike the requests that it applies
// to. The zero Fault strikes one request and does nothing to it.
type Fault struct {
	// Match selects requests; nil selects all. On makes one from routes. It is
	// called with the Record's lock held and must not call the Record or Faults.
	Match func(Request) bool
	// Skip is the number of matching requests that pass first.
	Skip int
	// Times is the number of requests that are struck: 0 is one, below 0 is all.
	Times int

	// Gate, if set, holds the request until the channel is closed or received from.
	Gate <-chan struct{}
	// After lets the request take effect before Status, Body and Cut replace its
	// answer. Otherwise they replace the request.
	After bool
	// GateAfter, if set, holds the answer of a request that took effect.
	GateAfter <-chan struct{}

	// Cut closes the connection without an answer.
	Cut bool
	// Status, Header and Body are answered. With a zero Status the answer is as usual.
	Status int
	Header http.Header
	Body   string
	// Rewrite changes the body of an answer that is otherwise as usual. See
	// NumbersAsStrings.
	Rewrite func([]byte) []byte
}

// Faults strike requests.
type Faults struct {
	mu       *waittest.Monitor // the Record's
	injected []*Injection
}

// Injection is an active Fault.
type Injection struct {
	faults *Faults
	fault  Fault
	seen   int
	hits   int
}

// Inject activates a fault. If several match a request, the one that was injected first
// strikes it.
func (f *Faults) Inject(fault Fault) *Injection {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := &Injection{faults: f, fault: fault}
	f.injected = append(f.injected, i)
	return i
}

// Remove ends the fault. Requests that it holds stay held by their gate.
func (i *Injection) Remove() {
	i.faults.mu.Lock()
	defer i.faults.mu.Unlock()
	i.fault.Match = func(Request) bool { return false }
}

// Hits returns how many requests the fault struck.
func (i *Injection) Hits() int {
	i.faults.mu.RLock()
	defer i.faults.mu.RUnlock()
	return i.hits
}

// Await waits until the fault struck at least n requests.
func (i *Injection) Await(ctx context.Context, n int) error {
	return i.faults.mu.Await(ctx,
		func() bool { return i.hits >= n },
		func() string { return fmt.Sprintf("a fault to strike %d requests, struck %d so far", n, i.hits) })
}

// strike returns the fault that strikes a request; nil if none does. The caller
// holds the lock.
func (f *Faults) strike(r *Request) *Fault {
	for _, i := range f.injected {
		if i.fault.Match != nil && !i.fault.Match(*r) {
			continue
		}
		i.seen++
		if i.seen <= i.fault.Skip || i.fault.Times >= 0 && i.hits >= max(i.fault.Times, 1) {
			continue
		}
		i.hits++
		f.mu.Wake()
		struck := i.fault
		return &struck
	}
	return nil
}

// around returns the reply to a request that f strikes. usual returns the reply that
// the request would have without f. If f is nil, around returns that. A nil reply means
// that the connection is cut.
func (f *Fault) around(r *http.Request, closed <-chan struct{}, usual func() *reply) *reply {
	if f == nil {
		return usual()
	}
	hold(r, closed, f.Gate)
	var answer *reply
	instead := f.Status != 0 || f.Cut
	if !instead || f.After {
		answer = usual()
		hold(r, closed, f.GateAfter)
	}
	switch {
	case f.Cut:
		return nil
	case f.Status != 0:
		return &reply{status: f.Status, header: f.Header.Clone(), body: []byte(f.Body)}
	case f.Rewrite != nil:
		answer.body = f.Rewrite(answer.body)
	}
	return answer
}

// hold blocks until a gate opens, or until the client or the server is gone. A nil
// gate is open.
func hold(r *http.Request, closed, gate <-chan struct{}) {
	if gate == nil {
		return
	}
	select {
	case <-gate:
	case <-r.Context().Done():
	case <-closed:
	}
}

const badGatewayPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n" +
	"<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"

// BadGateway returns a 502 with Cloudflare's HTML page. If the caller sets After on it,
// the request takes effect although the client sees a failure.
func BadGateway(match func(Request) bool) Fault {
	return Fault{
		Match: match, Status: http.StatusBadGateway, Body: badGatewayPage,
		Header: http.Header{"Content-Type": {"text/html"}},
	}
}

// Refused returns an error of Discord's API: 403 with code 50001, for example.
func Refused(match func(Request) bool, status, code int, message string) Fault {
	e := &apiError{status: status, code: code, message: message}
	return Fault{Match: match, Status: status, Body: string(e.body())}
}

// Scope is the scope of a rate limit.
type Scope string

// The scopes of rate limits.
const (
	ScopeUser   Scope = "user"   // the bot's, on one route
	ScopeGlobal Scope = "global" // the bot's, on all routes
)

// TooMany returns a 429 as Discord answers it.
func TooMany(match func(Request) bool, scope Scope, after time.Duration) Fault {
	header, body := tooMany(after, scope)
	return Fault{Match: match, Status: http.StatusTooManyRequests, Header: header, Body: body}
}
