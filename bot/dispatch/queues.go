package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"heddle/internal/telemetry"
)

// The errors of a queue that accepts no job.
var (
	// errFull means that too many jobs wait already.
	errFull = errors.New("the queue is full")
	// errClosed means that heddle is stopping.
	errClosed = errors.New("the queues are closed")
)

// queues runs the jobs of each key, such as a channel, one after the other, and those
// of different keys in parallel, up to a bound. The jobs of one asker run in the order
// in which they were pushed. Several askers take turns: a lane orders those of one key,
// and shares those of different keys. A job that panics is logged and dropped. queues
// owns one goroutine for each running job.
//
// mu guards the fields below it; it is never held while a job runs.
type queues[K comparable] struct {
	ctx  context.Context //nolint:containedctx // of all jobs, including those that start after push has returned
	most int             // jobs that may wait for one key
	// room is called after a job of a key that was full for another before. nil is allowed.
	room func()
	log  *slog.Logger

	mu      sync.Mutex
	lanes   map[K]*lane
	ready   []K // lanes whose next job may run, the one that has waited longest first
	shares  *shares
	closed  bool
	running sync.WaitGroup
}

// job is one unit of work.
type job struct {
	by      asker
	run     func(context.Context) // must return soon after its context ends
	waiting telemetry.Waiting     // since the job was pushed
}

// newQueues returns queues whose jobs run under ctx, at most parallel at a time. At
// most most jobs wait for one key, and at most a quarter of them for one asker.
func newQueues[K comparable](ctx context.Context, log *slog.Logger, parallel, most int) *queues[K] {
	return &queues[K]{ctx: ctx, most: most, log: log, lanes: make(map[K]*lane), shares: newShares(parallel)}
}

// push adds a job. It fails with errFull or errClosed.
func (q *queues[K]) push(key K, j job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	l := q.lanes[key]
	if l == nil {
		l = &lane{turns: make(map[asker]int)}
		q.lanes[key] = l
	}
	had, cause := len(l.waiting), telemetry.ForSlot
	if l.busy || had > 0 {
		cause = telemetry.ForTurn
	}
	j.waiting = telemetry.Wait(q.ctx, cause)
	if !l.add(j, q.most) {
		j.waiting.Left()
		l.refused = true
		return errFull
	}
	if !l.busy && had == 0 {
		q.ready = append(q.ready, key)
	}
	q.startLocked()
	return nil
}

// isFull reports whether push would fail with errFull. If so, room is called once it may not.
func (q *queues[K]) isFull(key K, by asker) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[key]
	if l == nil || !l.isFull(by, q.most) {
		return false
	}
	l.refused = true
	return true
}

// startLocked starts jobs while the bounds allow it.
func (q *queues[K]) startLocked() {
	for !q.closed {
		at := q.shares.choose(len(q.ready), func(i int) asker { return q.lanes[q.ready[i]].next().by })
		if at < 0 {
			return
		}
		key := q.ready[at]
		q.ready = slices.Delete(q.ready, at, at+1)
		l := q.lanes[key]
		j := l.take()
		l.busy = true
		j.waiting.Over()
		q.shares.begin(j.by)
		q.running.Go(func() { q.work(key, j) })
	}
}

// work runs a job, and then starts others.
func (q *queues[K]) work(key K, j job) {
	q.run(key, j)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shares.end(j.by)
	l := q.lanes[key]
	l.busy = false
	for _, do := range l.after {
		do()
	}
	l.after = nil
	if l.refused && q.room != nil {
		l.refused = false
		q.room()
	}
	if len(l.waiting) == 0 {
		delete(q.lanes, key)
	} else {
		q.ready = append(q.ready, key)
	}
	q.startLocked()
}

// run runs a job and recovers from a panic.
func (q *queues[K]) run(key K, j job) {
	defer func() {
		if cause := recover(); cause != nil {
			q.log.ErrorContext(q.ctx, "a job panicked and is given up", "queue", key, "stack", string(debug.Stack()))
		}
	}()
	j.run(q.ctx)
}

// after calls do once the job that runs for a key has ended, or at once if none runs. do must
// not wait.
func (q *queues[K]) after(key K, do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l := q.lanes[key]; l != nil && l.busy {
		l.after = append(l.after, do)
		return
	}
	do()
}

// close starts no further jobs, drops those that wait, and returns when those that run
// have ended.
func (q *queues[K]) close() {
	q.mu.Lock()
	q.closed = true
	for _, l := range q.lanes {
		for _, j := range l.waiting {
			j.waiting.Left()
		}
		l.waiting = nil
	}
	q.mu.Unlock()
	q.running.Wait()
}
