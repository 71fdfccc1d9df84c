package wait

// Signal wakes a goroutine that receives from it. It is remembered until then, and several
// calls of Set before that wake the goroutine once.
type Signal chan struct{}

// NewSignal returns a Signal that is not set.
func NewSignal() Signal { return make(Signal, 1) }

// Set wakes the goroutine that receives from the signal, or the next one to do so. It
// never waits.
func (s Signal) Set() {
	select {
	case s <- struct{}{}:
	default: // it is set already
	}
}
