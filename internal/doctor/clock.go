package doctor

import (
	"net/http"
	"sync"
	"time"
)

// Clock compares this machine's clock with the times that a server's responses carry.
// It is the transport of the requests to that server.
type Clock struct {
	Next http.RoundTripper // nil: http.DefaultTransport

	mu    sync.Mutex
	seen  bool
	ahead time.Duration
	trip  time.Duration // how long the exchange took that ahead is known from
}

// RoundTrip passes a request on and takes the time of its response.
func (c *Clock) RoundTrip(request *http.Request) (*http.Response, error) {
	next := c.Next
	if next == nil {
		next = http.DefaultTransport
	}
	began := time.Now()
	response, err := next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	trip := time.Since(began)
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		// The header leaves out fractions of its second.
		c.take(began.Add(trip/2).Sub(date.Add(time.Second/2)), trip)
	}
	return response, nil
}

func (c *Clock) take(ahead, trip time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.seen || trip < c.trip {
		c.seen, c.ahead, c.trip = true, ahead, trip
	}
}

// Ahead returns how far this machine's clock is ahead of the server's, exact to about
// half a second and half the time that an exchange took. It reports false if no
// response carried a time.
func (c *Clock) Ahead() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead, c.seen
}

// mostSkew is how far a clock may be off before it is worth a word.
const mostSkew = 10 * time.Second

// report adds what the clock is like.
func (c *Clock) report(to *Report) {
	ahead, known := c.Ahead()
	switch {
	case !known:
		to.Fine("clock", "not compared, as this server's responses carry no time")
	case ahead.Abs() <= mostSkew:
		to.Fine("clock", "agrees with Discord's")
	default:
		side := "ahead of"
		if ahead < 0 {
			side = "behind"
		}
		to.Add(Finding{
			Warning, "clock", "this machine's clock is about " + rounded(ahead.Abs()) + " " + side + " Discord's",
			"let it be set over the network, such as by chrony or systemd-timesyncd; leases and expiry go by it",
		})
	}
}

// rounded returns a duration in whole hours, in minutes if it is shorter, or in
// seconds.
func rounded(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}} {
		if d >= 2*unit.length {
			return plural(int(d.Round(unit.length)/unit.length), unit.name)
		}
	}
	return plural(int(d.Round(time.Second)/time.Second), "second")
}
