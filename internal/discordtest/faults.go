package discordtest

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Fault is something that goes wrong with requests. The zero Fault does nothing,
// once.
type Fault struct {
	// Match says which requests; nil is all. On makes one from routes. It is
	// called with the server's lock held and must not call the server.
	Match func(Request) bool
	// Skip lets so many matching requests pass first.
	Skip int
	// Times is how many requests are struck: 0 is one, below 0 all.
	Times int

	// Gate, if set, holds the request until the channel is closed or received from.
	Gate <-chan struct{}
	// Delay holds the request so long.
	Delay time.Duration
	// After lets the request take effect and then loses the answer. Otherwise
	// Status, Body and Cut stand in place of the request.
	After bool
	// GateAfter, if set, holds the answer of a request that took effect.
	GateAfter <-chan struct{}

	// Cut closes the connection without an answer.
	Cut bool
	// Status, Header and Body are answered; a zero Status answers as usual.
	Status int
	Header http.Header
	Body   string
	// Rewrite changes the body of an otherwise usual answer. See NumbersAsStrings.
	Rewrite func([]byte) []byte
}

// Injection is a Fault at work.
type Injection struct {
	server *Server
	fault  Fault
	seen   int
	hits   int
}

// Inject puts a fault to work. Of several that match, the first injected strikes.
func (s *Server) Inject(f Fault) *Injection {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := &Injection{server: s, fault: f}
	s.faults = append(s.faults, i)
	return i
}

// Remove ends the fault; requests that it holds stay held by their gate.
func (i *Injection) Remove() {
	i.server.mu.Lock()
	defer i.server.mu.Unlock()
	i.fault.Match = func(Request) bool { return false }
}

// Hits is how many requests were struck.
func (i *Injection) Hits() int {
	i.server.mu.RLock()
	defer i.server.mu.RUnlock()
	return i.hits
}

// Await waits until at least n requests were struck.
func (i *Injection) Await(ctx context.Context, n int) error {
	return i.server.await(ctx, "a fault to strike", func() bool { return i.hits >= n })
}

// faultLocked is the fault that strikes a request; nil if none does.
func (s *Server) faultLocked(r *Request) *Fault {
	for _, i := range s.faults {
		if i.fault.Match != nil && !i.fault.Match(*r) {
			continue
		}
		i.seen++
		if i.seen <= i.fault.Skip || i.fault.Times >= 0 && i.hits >= max(i.fault.Times, 1) {
			continue
		}
		i.hits++
		s.wakeLocked()
		return &i.fault
	}
	return nil
}

func (s *Server) answerFault(w http.ResponseWriter, c *call, f *Fault, handle func() *reply) {
	s.hold(c.request, f.Gate)
	if f.Delay > 0 {
		s.wait(c.request, f.Delay)
	}
	instead := f.Status != 0 || f.Cut
	var usual *reply
	if !instead || f.After {
		usual = handle()
		s.hold(c.request, f.GateAfter)
	}
	switch {
	case f.Cut:
		s.answered(c.record, -1)
		panic(http.ErrAbortHandler) // net/http's way to close without an answer
	case f.Status != 0:
		s.answer(w, c, &reply{status: f.Status, header: f.Header.Clone(), body: []byte(f.Body)})
	default:
		if f.Rewrite != nil {
			usual.body = f.Rewrite(usual.body)
		}
		s.answer(w, c, usual)
	}
}

func (s *Server) hold(r *http.Request, gate <-chan struct{}) {
	if gate == nil {
		return
	}
	select {
	case <-gate:
	case <-r.Context().Done():
	case <-s.done:
	}
}

const badGatewayPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n" +
	"<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"

// BadGateway is a 502 with Cloudflare's HTML page. With After set on it, the
// message exists although the client saw a failure.
func BadGateway(match func(Request) bool) Fault {
	return Fault{
		Match: match, Status: http.StatusBadGateway, Body: badGatewayPage,
		Header: http.Header{"Content-Type": {"text/html"}},
	}
}

// TooMany is a 429 of a route, as Discord answers it.
func TooMany(match func(Request) bool, after time.Duration) Fault {
	header, body := tooMany(after, "user", false)
	return Fault{Match: match, Status: http.StatusTooManyRequests, Header: header, Body: body}
}

// TooManyGlobal is a 429 of the bot's global limit.
func TooManyGlobal(match func(Request) bool, after time.Duration) Fault {
	header, body := tooMany(after, "global", true)
	return Fault{Match: match, Status: http.StatusTooManyRequests, Header: header, Body: body}
}

// TooManyBare is a 429 without any of Discord's headers, and with the wait in the
// body alone.
func TooManyBare(match func(Request) bool, after time.Duration) Fault {
	_, body := tooMany(after, "user", false)
	return Fault{Match: match, Status: http.StatusTooManyRequests, Body: body}
}

// TooManyHTML is a 429 with an HTML page, as Cloudflare answers a banned address.
func TooManyHTML(match func(Request) bool, after time.Duration) Fault {
	header := http.Header{"Content-Type": {"text/html"}}
	header.Set("Retry-After", strconv.Itoa(int(after.Seconds()+0.999)))
	return Fault{
		Match: match, Status: http.StatusTooManyRequests, Header: header,
		Body: "<!doctype html><title>Access denied</title><h1>Error 1015</h1><p>You are being rate limited.",
	}
}
