package dispatch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"heddle/bot/deferred"
	"heddle/graph"
	"heddle/internal/wait"
)

// mostDelayed bounds the delayed jobs. If there are more, those that are due last are
// dropped.
const mostDelayed = 4096

// delays puts jobs into the queues of their channels when they are due. run is called
// by one goroutine; add may be called by any.
//
// mu guards waiting; it is never held over I/O.
type delays struct {
	more wait.Signal // a new job waits

	mu      sync.Mutex
	waiting []delayed // the next first
}

type delayed struct {
	due     time.Time
	channel graph.ChannelID
	job     job
	// changed reports whether something has changed that the job waits for, so that it is
	// due at once. nil is allowed.
	changed func() bool
}

func newDelays() *delays { return &delays{more: wait.NewSignal()} }

// add delays a job until a time.
func (d *delays) add(due time.Time, channel graph.ChannelID, j job) {
	d.put(delayed{due: due, channel: channel, job: j})
}

// put adds a delayed job.
func (d *delays) put(later delayed) {
	d.mu.Lock()
	d.putLocked(later)
	d.mu.Unlock()
	d.more.Set()
}

func (d *delays) putLocked(later delayed) {
	at, _ := slices.BinarySearchFunc(d.waiting, later.due, func(d delayed, due time.Time) int {
		if d.due.After(due) {
			return 1
		}
		return -1
	})
	d.waiting = slices.Insert(d.waiting, at, later)
	d.waiting = d.waiting[:min(len(d.waiting), mostDelayed)]
}

// hurry makes the jobs due for which something has changed.
func (d *delays) hurry() {
	d.mu.Lock()
	now := time.Now()
	var hurried []delayed
	d.waiting = slices.DeleteFunc(d.waiting, func(w delayed) bool {
		if w.changed == nil || !w.due.After(now) || !w.changed() {
			return false
		}
		hurried = append(hurried, delayed{due: now, channel: w.channel, job: w.job})
		return true
	})
	for _, w := range hurried {
		d.putLocked(w)
	}
	d.mu.Unlock()
	if len(hurried) > 0 {
		d.more.Set()
	}
}

// close returns the waiting jobs. None of them runs any more.
func (d *delays) close() (left []job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, waiting := range d.waiting {
		left = append(left, waiting.job)
	}
	d.waiting = nil
	return left
}

// run pushes jobs that are due until ctx ends. If a queue is full, its job is delayed
// again.
func (d *delays) run(ctx context.Context, push func(graph.ChannelID, job) error) {
	for ctx.Err() == nil {
		next, pause, ok := d.next(time.Now())
		if !ok {
			_ = wait.Until(ctx, d.more, pause) // next finds out what ended the wait
			continue
		}
		if errors.Is(push(next.channel, next.job), ErrFull) {
			d.add(time.Now().Add(deferred.Retry), next.channel, next.job)
		}
	}
}

// next removes and returns a job that is due. If none is, it reports false and returns
// how long to wait.
func (d *delays) next(now time.Time) (next delayed, pause time.Duration, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case len(d.waiting) == 0:
		return delayed{}, time.Hour, false
	case d.waiting[0].due.After(now):
		return delayed{}, d.waiting[0].due.Sub(now), false
	}
	next = d.waiting[0]
	d.waiting = d.waiting[1:]
	return next, 0, true
}
