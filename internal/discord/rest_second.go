package discord

import "time"

// second counts the requests of any one second against the limit that all routes share.
// A request may reach Discord at any moment until its response comes. So it counts from
// the moment when it is sent until one second after its response. In whatever second
// Discord counts, no more than globalPerSecond of such requests can then reach it.
type second struct {
	inFlight int
	over     [globalPerSecond]time.Time // when requests came to their end
	next     int                        // index of the oldest of over
}

// take counts a request that is about to be sent.
func (s *second) take() { s.inFlight++ }

// release notes that the response to a request has come, or that none will.
func (s *second) release(now time.Time) {
	s.inFlight--
	s.over[s.next] = now
	s.next = (s.next + 1) % len(s.over)
}

// giveBack takes back a request that was not sent.
func (s *second) giveBack() { s.inFlight-- }

// delay returns how long to wait until fewer than most requests count.
func (s *second) delay(most int, now time.Time) time.Duration {
	free := most - s.inFlight
	if free <= 0 {
		return inFlightPause
	}
	if free > len(s.over) {
		return 0
	}
	// The free newest ones that are over may count, apart from one.
	oldest := s.over[(s.next-free+2*len(s.over))%len(s.over)]
	return max(0, oldest.Add(time.Second).Sub(now))
}
