package discord

import (
	"net/http"
	"sync"
	"time"
)

// Clock tells Discord's time from the Date headers of its responses. The ids of messages
// hold that time, so that their age can be told on a machine whose own clock is wrong.
// Between responses it goes by the machine's monotonic clock, which setting the time does
// not change. It is exact to about half a second and half the time that an exchange took.
//
// mu guards what follows it.
type Clock struct {
	mu   sync.Mutex
	seen bool
	at   time.Time     // on this machine
	date time.Time     // Discord's, at that moment
	trip time.Duration // how long the exchange took that this is known from
}

// take takes the response to a request that was sent at a time.
func (c *Clock) take(header http.Header, began time.Time) {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return
	}
	trip := time.Since(began)
	at := began.Add(trip / 2)
	date = date.Add(time.Second / 2) // the header leaves out fractions of its second
	c.mu.Lock()
	defer c.mu.Unlock()
	if off := c.date.Add(at.Sub(c.at)).Sub(date); c.seen && trip >= c.trip && off.Abs() <= time.Second+trip {
		return // what is known is at least as exact
	}
	c.seen, c.at, c.date, c.trip = true, at, date, trip
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

// Ahead returns how far this machine's clock is ahead of Discord's. It reports false if no
// response carried a time.
func (c *Clock) Ahead() (time.Duration, bool) {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Round(0).Sub(now), c.seen
}
