// Package deferred carries changes into the store that nobody waits for.
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

// Retry is how long a write waits before it is tried again while the store cannot be
// reached.
const Retry = 5 * time.Second

// Most bounds the writes of Add that wait. See Add for what happens at the bound.
const Most = 4096

// Write makes one change to the store, or reads from it.
type Write func(context.Context) error

// Writes makes writes in the order in which they were added, each until the store
// accepts it or refuses it for good. Run makes them; the other methods may be called
// from any goroutine.
//
// mu guards what follows it; it is never held over I/O.
type Writes struct {
	log     *slog.Logger
	more    chan struct{} // holds a token while something new waits
	closing chan struct{} // closed by Close

	mu      sync.Mutex
	waiting []entry
	added   int  // of waiting, those that Add added
	dropped int  // since the store was last reached
	writing bool // one is being made
	away    bool // the store could not be reached for it
}

type entry struct {
	do   Write
	kept bool // added by Keep
}

// New returns writes that Run makes.
func New(log *slog.Logger) *Writes {
	return &Writes{log: log, more: make(chan struct{}, 1), closing: make(chan struct{})}
}

// Add adds a write. If Most such writes wait, the store has been away for long, and
// the oldest of them is dropped and counted; the count is logged when the store is
// back. It suits what loses its worth with time, and nothing that must not be lost.
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

// Keep adds a write that is never dropped. The caller bounds how many there are.
func (w *Writes) Keep(do Write) {
	w.mu.Lock()
	w.waiting = append(w.waiting, entry{do, true})
	w.mu.Unlock()
	w.wake()
}

func (w *Writes) dropOldestLocked() {
	oldest := slices.IndexFunc(w.waiting, func(e entry) bool { return !e.kept })
	w.waiting = slices.Delete(w.waiting, oldest, oldest+1)
	w.added--
	w.dropped++
}

// Flush waits until everything added before has been written, but not for longer than
// Retry and not for a store that is away.
func (w *Writes) Flush(ctx context.Context) {
	w.mu.Lock()
	skip := len(w.waiting) == 0 && !w.writing || w.away
	w.mu.Unlock()
	if skip {
		return
	}
	written := make(chan struct{})
	w.Keep(func(context.Context) error { close(written); return nil })
	_ = wait.Until(ctx, written, Retry) // whatever ended the wait, the caller goes on
}

// Close lets Run return once nothing waits. Each write that waits is tried once more:
// a store that is away must not keep heddle from stopping.
func (w *Writes) Close() {
	close(w.closing)
	w.wake()
}

func (w *Writes) wake() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// Run makes the writes until Close was called and nothing waits, or until ctx ends.
func (w *Writes) Run(ctx context.Context) {
	for ctx.Err() == nil {
		closing := w.isClosing() // what is added from here on is not waited for
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

// tried records the outcome of a try. It returns how many writes had been dropped if
// the store is back.
func (w *Writes) tried(err error) (dropped int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = errors.Is(err, store.ErrUnavailable)
	if !w.away {
		dropped, w.dropped = w.dropped, 0
	}
	return dropped
}

// persist makes one write, again and again while the store cannot be reached.
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
		_ = wait.Until(ctx, w.closing, Retry) // the next try finds out what ended the wait
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
