package dispatch

import (
	"context"
	"sync"

	"heddle/graph"
)

// wish is what somebody wants who edits a question, or presses a button below an answer.
// Doing so again wishes nothing more.
type wish struct {
	message graph.MessageID // the question or the answer
	button  string          // empty for an edit
	person  graph.UserID    // who pressed; zero for an edit
}

// pushOnce queues a task that fulfils a wish. If an earlier task for the wish still waits,
// this one takes its place.
func (d *Dispatcher) pushOnce(w wish, t *task) error {
	if !d.repeated.put(w, t) {
		return nil
	}
	err := d.queues.push(t.channel, job{by: t.by, request: t.key.String(), run: func(ctx context.Context) {
		d.tasks.perform(ctx, d.repeated.take(w))
	}})
	if err != nil {
		d.repeated.take(w)
	}
	return err
}

// newest holds what waits in queues to be done, of which only the newest is needed for
// each key. The zero newest holds nothing.
type newest[K comparable] struct {
	mu      sync.Mutex
	waiting map[K]*task
}

// put sets the newest task of a key, and reports whether none waited before. A nil task is
// one too.
func (n *newest[K]) put(key K, t *task) (first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.waiting == nil {
		n.waiting = make(map[K]*task)
	}
	_, waits := n.waiting[key]
	n.waiting[key] = t
	return !waits
}

// take removes and returns the newest task of a key.
func (n *newest[K]) take(key K) *task {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer delete(n.waiting, key)
	return n.waiting[key]
}
