package bolt

import (
	"context"
	"slices"
	"sync"

	"heddle/store"
)

// job is a call of Apply that waits to be written.
type job struct {
	changes []store.Change
	failed  []int
	err     error
	done    chan struct{} // closed when failed and err are set
}

// queue lets calls that arrive during a write share the next write. The call that gets
// the turn writes for all that wait. bbolt's own Batch is not used, because it writes
// in a goroutine of its own, in which a fault would end the process (see
// docs/decisions/store.md).
//
// mu guards waiting; it is never held over I/O.
type queue struct {
	turn turn

	mu      sync.Mutex
	waiting []*job
}

// turn is the right to write. Only one call has it at a time.
type turn chan struct{}

// wait returns when the caller has the turn, with the function that gives it up. If ctx
// ends first, wait returns the error of ctx.
func (t turn) wait(ctx context.Context) (release func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// maxJobs bounds the number of jobs in one write.
const maxJobs = 256

// do returns when the job has been written, by this call or another one. If the context
// ends first, do withdraws the job, unless it is being written already.
func (q *queue) do(ctx context.Context, j *job, write func([]*job)) error {
	q.mu.Lock()
	q.waiting = append(q.waiting, j)
	q.mu.Unlock()
	for {
		select {
		case <-j.done:
			return j.err
		case q.turn <- struct{}{}:
			if jobs := q.take(); len(jobs) > 0 {
				write(jobs)
			}
			<-q.turn
		case <-ctx.Done():
			if q.drop(j) {
				return ctx.Err()
			}
			<-j.done
			return j.err
		}
	}
}

func (q *queue) take() []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxJobs)
	jobs := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return jobs
}

func (q *queue) drop(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(q.waiting)
	q.waiting = slices.DeleteFunc(q.waiting, func(other *job) bool { return other == j })
	return len(q.waiting) < before
}
