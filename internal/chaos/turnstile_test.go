package chaos_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// turnstile lets a number of steps of a process pass, and then stops the process until
// it is killed.
type turnstile struct {
	stopped chan struct{} // closed once the process is stopped

	mu   sync.Mutex
	left int // steps that still pass; below 0: all
}

func newTurnstile() turnstile { return turnstile{stopped: make(chan struct{}), left: -1} }

// stopAt sets the number of steps that pass before the process is stopped.
func (s *turnstile) stopAt(steps int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = steps
}

// open lets all steps pass.
func (s *turnstile) open() { s.stopAt(-1) }

// pass reports whether the next step passes. If it does not, first reports whether it
// is the first that does not.
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

// listens serves connections to a new Unix socket until the test ends.
func listens(ctx context.Context, t *testing.T, serve func(context.Context, net.Conn)) (net.Listener, error) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "chaos")
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", filepath.Join(dir, "s"))
	if err != nil {
		return nil, err
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { serve(ctx, from) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return listener, nil
}
