package deferred

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"heddle/internal/wait"
	"heddle/store"
)

// Retry is the pause between two attempts at a write while the store cannot be reached.
const Retry = 5 * time.Second

// Most bounds the waiting writes that were added by Add. At the bound Add drops the
// oldest.
const Most = 4096

// Write makes one change to the store, or reads from it.
type Write func(context.Context) error

// Writes is a queue of writes. They are made in the order in which they were added. A
// write is repeated until the store accepts it or fails it with an error other than an
// outage. Run makes them; the other methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held over I/O.
type Writes struct {
	log     *slog.Logger
	more    wait.Signal   // something new waits
	closing chan struct{} // closed by Close
	pause   time.Duration // see NewUnhurried
	hurry   wait.Signal   // a write must not wait

	mu      sync.Mutex
	waiting []entry
	added   int  // how many of waiting were added by Add
	dropped int  // writes dropped since the store was last reached
	writing bool // a write is being made
	away    bool // the store could not be reached at the last attempt
}

type entry struct {
	do   Write
	kept bool // added by Keep
}

// New returns writes that Run makes.
func New(log *slog.Logger) *Writes { return NewUnhurried(log, 0) }

// NewUnhurried returns writes that Run makes after a pause, so that a write does not take a
// core from the work that it came from. Keep, Flush and Close end the pause.
func NewUnhurried(log *slog.Logger, pause time.Duration) *Writes {
	return &Writes{log: log, more: wait.NewSignal(), closing: make(chan struct{}), pause: pause, hurry: wait.NewSignal()}
}

// Add adds a write. If Most writes of Add are waiting already, the oldest of them is
// dropped. The number of dropped writes is logged when the store is back. Use Keep for
// a write that must not be lost.
func (w *Writes) Add(do Write) {
	w.mu.Lock()
	if w.added >= Most {
		w.dropOldestLocked()
	}
	w.waiting = append(w.waiting, entry{do: do})
	w.added++
	w.mu.Unlock()
	w.wake()
}

// Keep adds a write that is never dropped, and ends Run's pause, because what must not be
// lost is written at once. The caller must bound how many of them wait.
func (w *Writes) Keep(do Write) {
	w.mu.Lock()
	w.waiting = append(w.waiting, entry{do, true})
	w.mu.Unlock()
	w.wake()
	w.hasten()
}

func (w *Writes) dropOldestLocked() {
	oldest := slices.IndexFunc(w.waiting, func(e entry) bool { return !e.kept })
	w.waiting = slices.Delete(w.waiting, oldest, oldest+1)
	w.added--
	w.dropped++
}

// Flush waits until everything added before has been written. It returns early if the
// store is away, and after Retry at the latest.
func (w *Writes) Flush(ctx context.Context) {
	w.mu.Lock()
	skip := len(w.waiting) == 0 && !w.writing || w.away
	w.mu.Unlock()
	if skip {
		return
	}
	written := make(chan struct{})
	w.Keep(func(context.Context) error { close(written); return nil })
	_ = wait.Until(ctx, written, Retry) // the caller goes on, whatever ended the wait
}

// Close makes Run return once nothing waits. From then on each write is tried only
// once, so that a store that is away cannot keep heddle from stopping.
func (w *Writes) Close() {
	close(w.closing)
	w.wake()
	w.hasten()
}

func (w *Writes) wake() { w.more.Set() }

// hasten ends Run's pause, or the next one.
func (w *Writes) hasten() { w.hurry.Set() }

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
				w.rest(ctx)
			case <-ctx.Done():
			}
		}
	}
}

// rest waits for the pause, or until a write must not wait.
func (w *Writes) rest(ctx context.Context) {
	if w.pause > 0 {
		_ = wait.Until(ctx, w.hurry, w.pause) // Run finds out what ended it
	}
}

// next returns the next write, or nil if none waits.
func (w *Writes) next() Write {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing = len(w.waiting) > 0
	if !w.writing {
		return nil
	}
	first := w.waiting[0]
	w.waiting = w.waiting[1:]
	if !first.kept {
		w.added--
	}
	return first.do
}

// tried records the outcome of an attempt. If the store is back, it returns how many
// writes were dropped while it was away.
func (w *Writes) tried(err error) (dropped int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = errors.Is(err, store.ErrUnavailable)
	if !w.away {
		dropped, w.dropped = w.dropped, 0
	}
	return dropped
}

// persist makes one write, and repeats it while the store cannot be reached.
func (w *Writes) persist(ctx context.Context, do Write) {
	for {
		last := w.isClosing()
		err := do(ctx)
		if dropped := w.tried(err); dropped > 0 {
			w.log.WarnContext(ctx, "the store was away for so long that changes to it were dropped, the oldest first", "dropped", dropped)
		}
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
		_ = wait.Until(ctx, w.closing, Retry) // the next attempt finds out what ended the wait
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
