package discordtest

import (
	"context"
	"fmt"
	"sync"
)

// monitor is a lock together with a way to wait for changes of the state that it
// guards.
type monitor struct {
	sync.RWMutex
	closed  <-chan struct{} // ends every wait
	changed chan struct{}   // closed by wake; nil while nobody waits
}

// wake makes every await look again. The caller holds the lock.
func (m *monitor) wake() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// await blocks until ready reports true. If the context ends first, the error holds
// what progress says of the wait. It calls both with the lock held.
func (m *monitor) await(ctx context.Context, ready func() bool, progress func() string) error {
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
		case <-m.closed:
			return ErrClosed
		case <-ctx.Done():
			m.Lock()
			told := progress()
			m.Unlock()
			return fmt.Errorf("wait for %s: %w", told, ctx.Err())
		}
	}
}

// isClosed reports whether the server was closed.
func (m *monitor) isClosed() bool {
	select {
	case <-m.closed:
		return true
	default:
		return false
	}
}
