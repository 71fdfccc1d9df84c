package discord

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

const (
	mostUnknown = 3 // concurrent requests to a bucket whose limit is not known yet

	// inFlightPause is how long to wait before looking again if requests in flight hold
	// all slots of a bucket.
	inFlightPause = 20 * time.Millisecond

	// sameEnd is the most by which the end of one window may differ between two
	// responses. The shortest windows of Discord take 250 ms.
	sameEnd = 100 * time.Millisecond
)

// bucket is one rate limit.
//
// A request may reach Discord at any moment until its response comes, so a request in
// flight counts in whatever window is current. One whose response is lost counts as in
// flight for as long as a window lasts.
type bucket struct {
	answered  bool // a response has come; if known is false, there is no limit
	known     bool // headers have named a limit
	limit     int
	lasts     time.Duration // the longest that a window had left
	remaining int           // requests left in the window, those in flight already subtracted
	reset     time.Time     // when the window is over at the latest; zero while the next window has not begun
	ends      time.Time     // when the newest window ends by Discord's clock; zero if Discord did not say
	inFlight  int
	lost      []time.Time // until when requests in flight count whose response was lost
	into      *bucket     // the bucket that this one turned out to be; nil if it is one of its own
}

// headers is what a response says about its bucket.
type headers struct {
	name      string // Discord's name of the bucket
	limit     int
	remaining int
	after     time.Duration // what is left of the window
	ends      time.Time     // when the window ends by Discord's clock; zero if the response does not say
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
	said := headers{name: h.Get("X-RateLimit-Bucket"), limit: max(1, limit), remaining: int(remaining), after: after}
	if ends, err := strconv.ParseFloat(h.Get("X-RateLimit-Reset"), 64); err == nil && ends > 0 && ends < math.MaxInt32*100 {
		said.ends = time.UnixMilli(int64(ends * 1000))
	}
	return said, true
}

// current returns the bucket that b turned out to be.
func (b *bucket) current() *bucket {
	for b.into != nil {
		b = b.into
	}
	return b
}

// delay returns how long the bucket delays a request. If the last window is over, it
// begins a new one.
func (b *bucket) delay(now time.Time) time.Duration {
	b.forgetLost(now)
	switch {
	case !b.known && !b.answered && b.inFlight >= mostUnknown:
		return inFlightPause
	case !b.known:
		return 0
	}
	if !b.reset.IsZero() && !now.Before(b.reset) {
		b.known = b.limit > 0 // otherwise only a 429 had delayed it
		b.remaining, b.reset = b.limit-b.inFlight, time.Time{}
	}
	switch {
	case !b.known || b.remaining > 0:
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
	if b.known {
		b.remaining--
	}
}

// giveBack takes back a request that did not count, or that counted in a window that is
// over.
func (b *bucket) giveBack() {
	b.inFlight--
	if b.known && b.reset.IsZero() {
		b.remaining++
	}
}

// lose notes that the response to a request is lost.
func (b *bucket) lose(now time.Time) {
	if b.known && b.lasts > 0 {
		b.lost = append(b.lost, now.Add(b.lasts))
		return
	}
	b.inFlight--
}

// forgetLost takes back the requests whose response was lost, once no window is current
// in which they may count.
func (b *bucket) forgetLost(now time.Time) {
	for len(b.lost) > 0 && !now.Before(b.lost[0]) {
		b.lost = b.lost[1:]
		b.giveBack()
	}
}

// learn takes in the response to a request that was in flight. It reports whether the
// response is about the newest window.
func (b *bucket) learn(said headers, now time.Time) bool {
	reset := now.Add(said.after)
	begun, newer := !b.reset.IsZero(), !b.known || said.ends.Sub(b.ends) > sameEnd
	switch {
	case b.known && (said.ends.IsZero() || begun && b.ends.IsZero()):
		// Which window the response is about cannot be told, so all is assumed of which
		// it may be about.
		if !begun {
			reset = now.Add(max(said.after, b.lasts))
		}
		b.inFlight--
		b.remaining, b.reset = min(b.remaining, said.remaining), later(b.reset, reset)
	case !newer && (!begun || b.ends.Sub(said.ends) > sameEnd): // about a window that is over
		b.giveBack()
		return false
	case !newer: // about the current window; each response is late, so the earliest end is the best
		b.inFlight--
		b.remaining = min(b.remaining, said.remaining)
		if reset.Before(b.reset) {
			b.reset = reset
		}
	default:
		b.inFlight--
		if left := said.remaining - b.inFlight; begun || !b.known {
			b.remaining = left
		} else { // what may count in the new window was subtracted when the last one was over
			b.remaining = min(b.remaining, said.remaining)
		}
		b.reset = reset
	}
	b.known, b.answered, b.ends = true, true, said.ends
	b.limit, b.lasts = said.limit, max(b.lasts, said.after)
	return true
}

// refuse delays all requests until a time.
func (b *bucket) refuse(until time.Time) {
	b.known, b.answered, b.remaining, b.reset = true, true, 0, later(b.reset, until)
}

// merge makes b, whose name was not known, part of into.
func (b *bucket) merge(into *bucket) {
	into.inFlight += b.inFlight
	into.lost = append(into.lost, b.lost...)
	if into.known {
		into.remaining -= b.inFlight
	}
	b.inFlight, b.lost, b.into = 0, nil, into
}
