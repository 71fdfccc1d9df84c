package discord

import (
	"net/http"
	"strconv"
	"time"
)

const (
	mostUnknown = 3 // concurrent requests to a bucket of which no response has come yet

	// inFlightPause is how long to wait before looking again if requests in flight hold
	// all slots of a bucket.
	inFlightPause = 20 * time.Millisecond

	// sameWindow is the most by which the end of one window differs between two responses.
	// The shortest windows of Discord take 250 ms.
	sameWindow = 100 * time.Millisecond
)

// bucket is one rate limit, as far as responses have told. A request in flight counts in
// whatever window is current.
type bucket struct {
	answered  bool      // a response has come
	limit     int       // requests in a window; 0 if no response has named it
	remaining int       // requests left in the window, without those in flight
	reset     time.Time // when the window ends; zero while the next one has not begun
	inFlight  int
	held      time.Time // until when a 429 delays all requests
}

// headers is what a response says about its bucket.
type headers struct {
	name      string // Discord's name of the bucket
	limit     int
	remaining int
	after     time.Duration // what is left of the window
}

// parseHeaders returns what a response says about its bucket. It reports false if the
// response says nothing.
func parseHeaders(h http.Header) (headers, bool) {
	remaining, err := strconv.ParseFloat(h.Get("X-RateLimit-Remaining"), 64)
	after := headerSeconds(h, "X-RateLimit-Reset-After")
	if err != nil || after == 0 {
		return headers{}, false
	}
	limit, _ := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	return headers{name: h.Get("X-RateLimit-Bucket"), limit: max(1, limit), remaining: int(remaining), after: after}, true
}

// delay returns how long the bucket delays a request. If the last window is over, it
// begins a new one.
func (b *bucket) delay(now time.Time) time.Duration {
	if !b.reset.IsZero() && !now.Before(b.reset) {
		b.remaining, b.reset = b.limit-b.inFlight, time.Time{}
	}
	switch {
	case now.Before(b.held):
		return b.held.Sub(now)
	case b.limit == 0 && !b.answered && b.inFlight >= mostUnknown:
		return inFlightPause
	case b.limit == 0, b.remaining > 0:
		return 0
	case b.reset.IsZero():
		return inFlightPause
	default:
		return b.reset.Sub(now)
	}
}

// take counts a request that is about to be sent.
func (b *bucket) take() {
	b.inFlight++
	b.remaining--
}

// giveBack takes back a request that counted in no window, as far as is known.
func (b *bucket) giveBack() {
	b.inFlight--
	if b.reset.IsZero() {
		b.remaining++
	}
}

// learn takes in what the response to a request says, which is in flight no more.
func (b *bucket) learn(said headers, now time.Time) {
	b.inFlight--
	reset := now.Add(said.after)
	switch later := reset.Sub(b.reset); {
	case b.limit == 0, b.reset.IsZero(), later > sameWindow: // about a new window
		b.remaining, b.reset = said.remaining-b.inFlight, reset
	case later >= -sameWindow:
		b.remaining = min(b.remaining, said.remaining)
	}
	b.limit = said.limit
}
