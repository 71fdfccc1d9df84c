package bot

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"heddle/store"
)

// writeRetry is how long a write waits for a store that cannot be reached.
const writeRetry = 5 * time.Second

// writer carries what the gateway learns into the store, in order, without holding
// the gateway up: deletions, and mentions that must wait; and it looks there for
// what is to be caught up. Each is tried until the store takes it or refuses it for
// good. Its goroutine is the one that calls run.
//
// mu guards what follows it; it is never held over I/O.
type writer struct {
	log  *slog.Logger
	more chan struct{} // holds a token while something new waits

	closing chan struct{} // closed by close

	mu      sync.Mutex
	waiting []write
	writing bool // one is being written
	away    bool // the store could not be reached for it
}

// write does one thing to the store.
type write func(context.Context) error

func newWriter(log *slog.Logger) *writer {
	return &writer{log: log, more: make(chan struct{}, 1), closing: make(chan struct{})}
}

func (w *writer) add(do write) {
	w.mu.Lock()
	w.waiting = append(w.waiting, do)
	w.mu.Unlock()
	w.wake()
}

// flush waits until what was added before is written, for a moment at most, and not
// for a store that is away.
func (w *writer) flush(ctx context.Context) {
	w.mu.Lock()
	nothing := len(w.waiting) == 0 && !w.writing || w.away
	w.mu.Unlock()
	if nothing {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, writeRetry)
	defer cancel()
	written := make(chan struct{})
	w.add(func(context.Context) error { close(written); return nil })
	select {
	case <-written:
	case <-ctx.Done():
	}
}

// close lets run return once nothing waits. What waits is tried once more: a store
// that is away must not keep heddle from ending.
func (w *writer) close() {
	close(w.closing)
	w.wake()
}

func (w *writer) wake() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// run writes until the writer is closed and nothing waits, or ctx ends.
func (w *writer) run(ctx context.Context) {
	for ctx.Err() == nil {
		closing := w.isClosing() // what is added after is not waited for
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

func (w *writer) next() write {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing = len(w.waiting) > 0
	if !w.writing {
		return nil
	}
	do := w.waiting[0]
	w.waiting = w.waiting[1:]
	return do
}

// tried notes what came of trying to write.
func (w *writer) tried(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = errors.Is(err, store.ErrUnavailable)
}

// persist does one write, again and again while the store cannot be reached.
func (w *writer) persist(ctx context.Context, do write) {
	for {
		last := w.isClosing()
		err := do(ctx)
		w.tried(err)
		switch {
		case err == nil, ctx.Err() != nil:
			return
		case !errors.Is(err, store.ErrUnavailable):
			w.log.ErrorContext(ctx, "the store refused a change", "error", err)
			return
		case last:
			w.log.ErrorContext(ctx, "the store is away at the end, a change to it is lost", "error", err)
			return
		}
		w.pause(ctx)
	}
}

// pause waits before another try.
func (w *writer) pause(ctx context.Context) {
	timer := time.NewTimer(writeRetry)
	defer timer.Stop()
	select {
	case <-w.closing:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (w *writer) isClosing() bool {
	select {
	case <-w.closing:
		return true
	default:
		return false
	}
}
