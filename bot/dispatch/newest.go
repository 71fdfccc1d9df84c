package dispatch

import (
	"context"
	"maps"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/wait"
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
		if t := d.repeated.take(w); t != nil {
			d.tasks.perform(ctx, t)
		}
	}})
	if err != nil {
		d.repeated.take(w)
	}
	return err
}

// longestWait is how old a press may become, by Discord's clock, before it is its turn.
// Discord takes answers for 15 minutes.
const longestWait = 13 * time.Minute

// endWaits ends the waits of presses that waited for too long, until ctx ends. It looks at
// Discord's clock every second, as that may jump: this machine may have slept.
func (d *Dispatcher) endWaits(ctx context.Context) {
	for wait.For(ctx, time.Second) == nil {
		for _, t := range d.repeated.takeOld(d.asking.clock.Now().Add(-longestWait)) {
			t.late(ctx)
		}
	}
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

// takeOld removes and returns the tasks that were asked for before a time and whose askers
// are to be told so.
func (n *newest[K]) takeOld(before time.Time) []*task {
	n.mu.Lock()
	defer n.mu.Unlock()
	var old []*task
	maps.DeleteFunc(n.waiting, func(_ K, t *task) bool {
		late := t != nil && t.late != nil && t.asked.Before(before)
		if late {
			old = append(old, t)
		}
		return late
	})
	return old
}
