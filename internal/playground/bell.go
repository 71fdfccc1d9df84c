package playground

import "sync"

// bell notifies all listeners of changes.
type bell struct {
	mu   sync.Mutex
	rung chan struct{} // closed and replaced by every ring
}

func newBell() *bell { return &bell{rung: make(chan struct{})} }

// listen returns a channel that the next ring closes.
func (b *bell) listen() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rung
}

// ring wakes everybody who listens.
func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.rung)
	b.rung = make(chan struct{})
}
