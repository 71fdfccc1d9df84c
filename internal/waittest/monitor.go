// Package waittest waits for what tests cause: for changes of some state, or for a text in
// a log. Nothing in it polls.
package waittest

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrClosed reports that the owner of a Monitor was closed during a wait.
var ErrClosed = errors.New("waittest: closed")

// Monitor is a lock together with a way to wait for changes of the state that it
// guards.
type Monitor struct {
	sync.RWMutex

	Closed  <-chan struct{} // ends every wait; nil if nothing does
	changed chan struct{}   // closed by Wake; nil while nobody waits
}

// Wake makes every Await look again. The caller holds the lock.
func (m *Monitor) Wake() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// Await blocks until ready reports true. If the context ends first, the error holds
// what progress says of the wait. It calls both with the lock held.
func (m *Monitor) Await(ctx context.Context, ready func() bool, progress func() string) error {
	for {
		m.Lock()
		if ready() {
			m.Unlock()
			return nil
		}
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		changed := m.changed
		m.Unlock()
		select {
		case <-changed:
		case <-m.Closed:
			return ErrClosed
		case <-ctx.Done():
			m.Lock()
			told := progress()
			m.Unlock()
			return fmt.Errorf("wait for %s: %w", told, ctx.Err())
		}
	}
}

// IsClosed reports whether the owner was closed.
func (m *Monitor) IsClosed() bool {
	select {
	case <-m.Closed:
		return true
	default:
		return false
	}
}
