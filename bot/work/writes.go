package work

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"heddle/internal/wait"
	"heddle/store"
)

// Retry is the pause between two attempts at a write while the store cannot be reached.
const Retry = 5 * time.Second

// Write makes one change to the store.
type Write func(context.Context) error

// Writes is a queue of writes. They are made in the order in which they were added. A
// write is repeated until the store accepts it or fails it with an error other than an
// outage. Run makes them; the other methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held over I/O.
type Writes struct {
	log     *slog.Logger
	more    wait.Signal   // something new waits
	hurry   wait.Signal   // the next attempt need not wait for Retry
	closing chan struct{} // closed by Close

	mu      sync.Mutex
	waiting []Write
	writing bool          // a write is being made
	away    bool          // the store could not be reached at the last attempt
	tried   chan struct{} // closed after the next attempt
}

// NewWrites returns writes that Run makes.
func NewWrites(log *slog.Logger) *Writes {
	return &Writes{log: log, more: wait.NewSignal(), hurry: wait.NewSignal(), tried: make(chan struct{}), closing: make(chan struct{})}
}

// Add adds a write. While the store is away, all that are added wait.
func (w *Writes) Add(do Write) {
	w.mu.Lock()
	w.waiting = append(w.waiting, do)
	w.mu.Unlock()
	w.more.Set()
}

// Flush waits until everything added before has been written. It returns early if the
// store is away, and after Retry at the latest.
func (w *Writes) Flush(ctx context.Context) {
	w.mu.Lock()
	skip := len(w.waiting) == 0 && !w.writing || w.away
	w.mu.Unlock()
	if !skip {
		w.written(ctx)
	}
}

// Settle is Flush for a caller whom the store has just answered: if the store was away, the
// next attempt is made now. It reports whether everything added before has been written.
func (w *Writes) Settle(ctx context.Context) bool {
	w.mu.Lock()
	idle, away, tried := len(w.waiting) == 0 && !w.writing, w.away, w.tried
	w.mu.Unlock()
	if idle {
		return true
	}
	if away {
		w.hurry.Set()
		_ = wait.Until(ctx, tried, Retry) // what follows finds out what ended the wait
		w.mu.Lock()
		away = w.away
		w.mu.Unlock()
	}
	return !away && w.written(ctx)
}

// written waits until everything added before has been written, for Retry at most, and
// reports whether it was.
func (w *Writes) written(ctx context.Context) bool {
	done := make(chan struct{})
	w.Add(func(context.Context) error { close(done); return nil })
	_ = wait.Until(ctx, done, Retry) // the caller goes on, whatever ended the wait
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// Close makes Run return once nothing waits. From then on each write is tried only
// once, so that a store that is away cannot keep heddle from stopping.
func (w *Writes) Close() {
	close(w.closing)
	w.more.Set()
}

// Run makes the writes until Close was called and nothing waits, or until ctx ends.
func (w *Writes) Run(ctx context.Context) {
	for ctx.Err() == nil {
		closing := w.isClosing() // writes added after this are not waited for
		switch do := w.next(); {
		case do != nil:
			w.persist(ctx, do)
		case closing:
			return
		default:
			select {
			case <-w.more:
			case <-ctx.Done():
			}
		}
	}
}

// next removes and returns the next write, or nil if none waits.
func (w *Writes) next() Write {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing = len(w.waiting) > 0
	if !w.writing {
		return nil
	}
	first := w.waiting[0]
	w.waiting = w.waiting[1:]
	return first
}

// persist makes one write, and repeats it while the store cannot be reached.
func (w *Writes) persist(ctx context.Context, do Write) {
	for {
		last := w.isClosing()
		err := do(ctx)
		w.mu.Lock()
		w.away = errors.Is(err, store.ErrUnavailable)
		close(w.tried)
		w.tried = make(chan struct{})
		w.mu.Unlock()
		switch {
		case err == nil, ctx.Err() != nil:
			return
		case !errors.Is(err, store.ErrUnavailable):
			w.log.ErrorContext(ctx, "the store refused a change, which is dropped", "error", err)
			return
		case last:
			w.log.ErrorContext(ctx, "the store is away at shutdown, a change to it is lost", "error", err)
			return
		}
		w.rest(ctx)
	}
}

// rest waits for Retry, or until the next attempt is due for another reason.
func (w *Writes) rest(ctx context.Context) {
	timer := time.NewTimer(Retry)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-w.closing:
	case <-w.hurry:
	case <-timer.C:
	}
}

func (w *Writes) isClosing() bool {
	select {
	case <-w.closing:
		return true
	default:
		return false
	}
}
