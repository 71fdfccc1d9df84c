package bot

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"heddle/bot/deferred"

	"heddle/graph"
)

// later puts jobs into their channels' queues when their time has come. Its
// goroutine is the one that calls run.
//
// mu guards waiting; it is never held over I/O.
type later struct {
	more chan struct{} // holds a token while something new waits

	mu      sync.Mutex
	waiting []delayed // the next first
}

type delayed struct {
	due     time.Time
	channel graph.ChannelID
	job     job
}

// mostLater bounds what waits; what comes last gives way.
const mostLater = 4096

func newLater() *later { return &later{more: make(chan struct{}, 1)} }

// add has a job done at a time.
func (l *later) add(due time.Time, channel graph.ChannelID, j job) {
	l.mu.Lock()
	at, _ := slices.BinarySearchFunc(l.waiting, due, func(d delayed, due time.Time) int {
		if d.due.After(due) {
			return 1
		}
		return -1
	})
	l.waiting = slices.Insert(l.waiting, at, delayed{due, channel, j})
	l.waiting = l.waiting[:min(len(l.waiting), mostLater)]
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// run puts jobs into queues by push until ctx ends. Where a queue is full a job
// waits for some more.
func (l *later) run(ctx context.Context, push func(graph.ChannelID, job) error) {
	for ctx.Err() == nil {
		next, wait, ok := l.next(time.Now())
		switch {
		case ok:
			if errors.Is(push(next.channel, next.job), errQueueFull) {
				l.add(time.Now().Add(deferred.Retry), next.channel, next.job)
			}
		default:
			l.pause(ctx, wait)
		}
	}
}

// next takes the job whose time has come, or says how long to wait for the next.
func (l *later) next(now time.Time) (next delayed, wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case len(l.waiting) == 0:
		return delayed{}, time.Hour, false
	case l.waiting[0].due.After(now):
		return delayed{}, l.waiting[0].due.Sub(now), false
	}
	next = l.waiting[0]
	l.waiting = l.waiting[1:]
	return next, 0, true
}

func (l *later) pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.more:
	case <-ctx.Done():
	}
}
