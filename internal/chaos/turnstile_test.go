package chaos_test

import "sync"

// turnstile lets so many steps of a process pass, and then stops it until it is killed.
type turnstile struct {
	stopped chan struct{} // closed when the process was stopped

	mu   sync.Mutex
	left int // steps that still pass; below 0: all
}

func newTurnstile() turnstile { return turnstile{stopped: make(chan struct{}), left: -1} }

// stopAt stops the process after so many steps.
func (s *turnstile) stopAt(steps int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = steps
}

// open lets everything pass.
func (s *turnstile) open() { s.stopAt(-1) }

// pass reports whether the next step passes, and otherwise whether it is the first that
// does not.
func (s *turnstile) pass() (passes, first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.left < 0:
		return true, false
	case s.left > 0:
		s.left--
		return true, false
	case isClosed(s.stopped):
		return false, false
	}
	close(s.stopped)
	return false, true
}
