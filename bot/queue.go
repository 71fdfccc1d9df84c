package bot

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"heddle/graph"
)

var (
	errQueueFull   = errors.New("the channel's queue is full")
	errQueueClosed = errors.New("the queues are closed")
)

// queues runs what waits in one channel one after the other, in the order in which
// it came, and channels in parallel, a bounded number of jobs at a time. It owns
// its goroutines: one for each channel that has something waiting.
//
// mu guards what follows it; it is never held while a job runs.
type queues struct {
	spawn  func(graph.ChannelID)     // starts a channel's worker
	refill func(graph.ChannelID) job // fetches what a full queue turned away
	most   int                       // jobs waiting in one channel

	mu       sync.Mutex
	waiting  map[graph.ChannelID][]job // a channel has an entry while its worker lives
	overflow map[graph.ChannelID]bool  // channels that turned something away
	closed   bool
	workers  sync.WaitGroup
}

// job is one thing to do.
type job struct {
	run func(context.Context) // must return soon after its context ends
	// leave is called instead of run where the queues close first; nil for nothing.
	leave func()
}

// newQueues gives queues whose jobs run under ctx, at most parallel at once, with
// at most most waiting in one channel. When a channel that turned jobs away has
// none left, the job that refill gives for it is run.
func newQueues(ctx context.Context, parallel, most int, refill func(graph.ChannelID) job) *queues {
	q := &queues{
		refill: refill, most: most,
		waiting: make(map[graph.ChannelID][]job), overflow: make(map[graph.ChannelID]bool),
	}
	slots := make(chan struct{}, parallel)
	q.spawn = func(channel graph.ChannelID) {
		q.workers.Go(func() { q.work(ctx, slots, channel) })
	}
	return q
}

// push adds a job to a channel's queue.
func (q *queues) push(channel graph.ChannelID, j job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errQueueClosed
	}
	waiting, served := q.waiting[channel]
	if len(waiting) >= q.most {
		q.overflow[channel] = true
		return errQueueFull
	}
	q.waiting[channel] = append(waiting, j)
	if !served {
		q.spawn(channel)
	}
	return nil
}

func (q *queues) work(ctx context.Context, slots chan struct{}, channel graph.ChannelID) {
	for more := true; more; {
		slots <- struct{}{}
		more = q.runNext(ctx, channel)
		<-slots
	}
}

func (q *queues) runNext(ctx context.Context, channel graph.ChannelID) bool {
	j, ok := q.next(channel)
	if ok {
		j.run(ctx)
	}
	return ok
}

// next takes a channel's oldest job, or ends its queue where nothing waits.
func (q *queues) next(channel graph.ChannelID) (job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.waiting[channel]
	switch {
	case q.closed, len(waiting) == 0 && !q.overflow[channel]:
		delete(q.waiting, channel)
		return job{}, false
	case len(waiting) == 0:
		delete(q.overflow, channel)
		return q.refill(channel), true
	}
	q.waiting[channel] = waiting[1:]
	return waiting[0], true
}

// close starts no further job, waits for those that run and leaves those that wait.
func (q *queues) close() {
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
