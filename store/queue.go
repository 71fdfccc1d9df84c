package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"heddle/internal/wait"
)

// Retry is the pause between two attempts at a write while the store cannot be reached.
const Retry = 5 * time.Second

// Queue is a queue of writes. They are made in the order in which they were added. A
// write is repeated until the store accepts it or fails it with an error other than an
// outage. Run makes them; the other methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held over I/O.
type Queue struct {
	log     *slog.Logger
	more    wait.Signal   // something new waits
	hurry   wait.Signal   // the next attempt need not wait for Retry
	closing chan struct{} // closed by Close

	mu      sync.Mutex
	waiting []func(context.Context) error
	writing bool          // a write is being made
	away    bool          // the store could not be reached at the last attempt
	tried   chan struct{} // closed after the next attempt
}

// NewQueue returns an empty queue.
func NewQueue(log *slog.Logger) *Queue {
	return &Queue{log: log, more: wait.NewSignal(), hurry: wait.NewSignal(), tried: make(chan struct{}), closing: make(chan struct{})}
}

// Add adds a write. While the store is away, all writes wait.
func (q *Queue) Add(do func(context.Context) error) {
	q.mu.Lock()
	q.waiting = append(q.waiting, do)
	q.mu.Unlock()
	q.more.Set()
}

// Flush waits until everything added before has been written. It returns early if the
// store is away, and after Retry at the latest.
func (q *Queue) Flush(ctx context.Context) {
	q.mu.Lock()
	skip := len(q.waiting) == 0 && !q.writing || q.away
	q.mu.Unlock()
	if !skip {
		q.written(ctx)
	}
}

// Written returns a channel that is closed once everything added before has been written. It is
// closed already while the store is away.
func (q *Queue) Written() <-chan struct{} {
	done := make(chan struct{})
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 && !q.writing || q.away {
		close(done)
		return done
	}
	q.waiting = append(q.waiting, func(context.Context) error { close(done); return nil })
	q.more.Set()
	return done
}

// Settle is Flush for a caller whom the store has just answered: if the store was away, the
// next attempt is made now. It reports whether everything added before has been written.
func (q *Queue) Settle(ctx context.Context) bool {
	q.mu.Lock()
	idle, away, tried := len(q.waiting) == 0 && !q.writing, q.away, q.tried
	q.mu.Unlock()
	if idle {
		return true
	}
	if away {
		q.hurry.Set()
		_ = wait.Until(ctx, tried, Retry) // what follows finds out what ended the wait
		q.mu.Lock()
		away = q.away
		q.mu.Unlock()
	}
	return !away && q.written(ctx)
}

// written waits until everything added before has been written, for Retry at most, and
// reports whether it was.
func (q *Queue) written(ctx context.Context) bool {
	done := make(chan struct{})
	q.Add(func(context.Context) error { close(done); return nil })
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
func (q *Queue) Close() {
	close(q.closing)
	q.more.Set()
}

// Run makes the writes until Close was called and nothing waits, or until ctx ends.
func (q *Queue) Run(ctx context.Context) {
	for ctx.Err() == nil {
		closing := q.isClosing() // writes added after this are not waited for
		switch do := q.next(); {
		case do != nil:
			q.persist(ctx, do)
		case closing:
			return
		default:
			select {
			case <-q.more:
			case <-ctx.Done():
			}
		}
	}
}

// next removes and returns the next write, or nil if none waits.
func (q *Queue) next() func(context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writing = len(q.waiting) > 0
	if !q.writing {
		return nil
	}
	first := q.waiting[0]
	q.waiting = q.waiting[1:]
	return first
}

// persist makes one write, and repeats it while the store cannot be reached.
func (q *Queue) persist(ctx context.Context, do func(context.Context) error) {
	for {
		last := q.isClosing()
		err := do(ctx)
		q.mu.Lock()
		q.away = errors.Is(err, ErrUnavailable)
		close(q.tried)
		q.tried = make(chan struct{})
		q.mu.Unlock()
		switch {
		case err == nil, ctx.Err() != nil:
			return
		case !errors.Is(err, ErrUnavailable):
			q.log.ErrorContext(ctx, "the store refused a change, which is dropped", "error", err)
			return
		case last:
			q.log.ErrorContext(ctx, "the store is away at shutdown, a change to it is lost", "error", err)
			return
		}
		q.rest(ctx)
	}
}

// rest waits for Retry, or until the next attempt is due for another reason.
func (q *Queue) rest(ctx context.Context) {
	timer := time.NewTimer(Retry)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-q.closing:
	case <-q.hurry:
	case <-timer.C:
	}
}

func (q *Queue) isClosing() bool {
	select {
	case <-q.closing:
		return true
	default:
		return false
	}
}
