package discord

import (
	"net/http"
	"sync"
	"time"
)

// ClockError bounds how far Clock.Now is from Discord's time, for requests that take up to
// three seconds. What one process notes of the past, and another relies on, is dated
// that much earlier.
const ClockError = 2 * time.Second

// Clock returns Discord's time, which it learns from the Date headers of responses. The
// ids of messages contain that time, so their age is right even if the machine's own
// clock is wrong. Between responses the Clock uses the machine's monotonic clock, which
// does not change when the time is set. It is accurate to about half a second plus half
// the time that a request takes.
//
// mu guards the fields below it.
type Clock struct {
	mu   sync.Mutex
	seen bool
	at   time.Time     // when date was learnt, by this machine's clock
	date time.Time     // Discord's time at that moment
	trip time.Duration // duration of the request that date was learnt from
}

// take learns from the header of the response to a request that was sent at began. What a
// cache repeats has the date of an earlier response.
func (c *Clock) take(header http.Header, began time.Time) {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil || isCached(header) {
		return
	}
	trip := time.Since(began)
	at := began.Add(trip / 2)
	date = date.Add(time.Second / 2) // the header has no fractions of a second
	c.mu.Lock()
	defer c.mu.Unlock()
	if off := c.date.Add(at.Sub(c.at)).Sub(date); c.seen && trip >= c.trip && off.Abs() <= time.Second+trip {
		return // the known date is at least as accurate
	}
	c.seen, c.at, c.date, c.trip = true, at, date, trip
}

// isCached reports whether a response with this header was given before. Caches say so by
// Age (RFC 9111), and nirn-proxy by X-Cached.
func isCached(header http.Header) bool {
	return header.Get("Age") != "" || header.Get("X-Cached") != ""
}

// Now returns Discord's time. Before the first response it is this machine's.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.seen {
		return time.Now()
	}
	return c.date.Add(time.Since(c.at))
}
