package discord

import (
	"slices"
	"time"
)

// longestWay is how long after it was sent a request reaches Discord at the latest. What
// takes longer to be answered is Discord's own doing.
const longestWay = 3 * time.Second

// second counts the requests of any one second against the limit that all routes share.
// A request may reach Discord at any moment until its response comes, or until longestWay
// is over. So it counts from the moment when it is sent until one second after that. In
// whatever second Discord counts, no more than globalPerSecond of such requests can then
// reach it.
type second struct {
	counted []*counted
}

// counted is a request that counts.
type counted struct {
	until    time.Time // at the latest
	inFlight bool      // so it may end to count earlier
}

// take counts a request that is about to be sent.
func (s *second) take(now time.Time) *counted {
	c := &counted{now.Add(longestWay + time.Second), true}
	s.counted = append(s.counted, c)
	return c
}

// release notes that the response to a request has come, or that none will.
func (c *counted) release(now time.Time) {
	c.inFlight = false
	if end := now.Add(time.Second); end.Before(c.until) {
		c.until = end
	}
}

// delay returns how long to wait until fewer than most requests count.
func (s *second) delay(most int, now time.Time) time.Duration {
	s.counted = slices.DeleteFunc(s.counted, func(c *counted) bool { return !now.Before(c.until) })
	if len(s.counted) < most {
		return 0
	}
	var ends []time.Time
	for _, c := range s.counted {
		if !c.inFlight {
			ends = append(ends, c.until)
		}
	}
	over := len(s.counted) - most // so many more have to end than one
	if over >= len(ends) {
		return inFlightPause
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends[over].Sub(now)
}
