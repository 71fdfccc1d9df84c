package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
)

// The errors of a queue that accepts no job.
var (
	// ErrFull means that too many jobs wait already.
	ErrFull = errors.New("the queue is full")
	// ErrClosed means that heddle is stopping.
	ErrClosed = errors.New("the queues are closed")
)

// queues runs the jobs of one key, such as a channel, one after the other in the order
// in which they came, and those of different keys in parallel, a bounded number at a
// time. A job that panics is logged and given up. queues owns its goroutines: one for
// each key that has jobs.
//
// mu guards what follows it; it is never held while a job runs.
type queues[K comparable] struct {
	spawn  func(K)     // starts the worker of a key
	refill func(K) job // fetches what a full queue turned away
	most   int         // jobs waiting for one key
	log    *slog.Logger

	mu       sync.Mutex
	waiting  map[K][]job // a key has an entry while its worker lives
	overflow map[K]bool  // keys that turned a job away
	closed   bool
	workers  sync.WaitGroup
}

// job is one thing to do.
type job struct {
	run func(context.Context) // must return soon after its context ends
	// leave is called instead of run if the queues close first; nil for nothing.
	leave func()
}

// newQueues returns queues whose jobs run under ctx, at most parallel at once. At most
// most jobs wait for one key. When a key that turned jobs away has none left, the job
// that refill returns for it is run.
func newQueues[K comparable](ctx context.Context, log *slog.Logger, parallel, most int, refill func(K) job) *queues[K] {
	q := &queues[K]{refill: refill, most: most, log: log, waiting: make(map[K][]job), overflow: make(map[K]bool)}
	slots := make(chan struct{}, parallel)
	q.spawn = func(key K) {
		q.workers.Go(func() { q.work(ctx, slots, key) })
	}
	return q
}

// push adds a job. It fails with ErrFull or ErrClosed.
func (q *queues[K]) push(key K, j job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	waiting, served := q.waiting[key]
	if len(waiting) >= q.most {
		q.overflow[key] = true
		return ErrFull
	}
	q.waiting[key] = append(waiting, j)
	if !served {
		q.spawn(key)
	}
	return nil
}

func (q *queues[K]) work(ctx context.Context, slots chan struct{}, key K) {
	for more := true; more; {
		slots <- struct{}{}
		more = q.runNext(ctx, key)
		<-slots
	}
}

// runNext runs the next job of a key and reports whether there was one.
func (q *queues[K]) runNext(ctx context.Context, key K) (ok bool) {
	j, ok := q.next(key)
	defer func() {
		if cause := recover(); cause != nil {
			q.log.ErrorContext(ctx, "a job panicked and is given up", "queue", key, "stack", string(debug.Stack()))
		}
	}()
	if ok {
		j.run(ctx)
	}
	return ok
}

// next returns the oldest job of a key, or ends its worker if there is none.
func (q *queues[K]) next(key K) (job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.waiting[key]
	switch {
	case q.closed, len(waiting) == 0 && !q.overflow[key]:
		delete(q.waiting, key)
		return job{}, false
	case len(waiting) == 0:
		delete(q.overflow, key)
		return q.refill(key), true
	}
	q.waiting[key] = waiting[1:]
	return waiting[0], true
}

// close starts no further job, leaves those that wait and returns when those that run
// have ended.
func (q *queues[K]) close() {
	q.mu.Lock()
	q.closed = true
	left := slices.Concat(slices.Collect(maps.Values(q.waiting))...)
	q.mu.Unlock()
	for _, j := range left {
		if j.leave != nil {
			j.leave()
		}
	}
	q.workers.Wait()
}
