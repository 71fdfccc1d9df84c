package discordtest

import (
	"sync"
	"time"
)

// Clock is a clock for Options.Clock that a test can move, for example past the life of
// a nonce, an address or a session. The zero Clock shows the time of day.
type Clock struct {
	mu     sync.Mutex
	offset time.Duration
}

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

// Advance moves the clock, backwards if d is negative.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}
