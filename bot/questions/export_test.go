package questions

import (
	"context"

	"heddle/graph"
)

// IsIdle reports whether nothing is to be done in a channel now.
func (d *Questions) IsIdle(channel graph.ChannelID) bool {
	d.mu.Lock()
	_, overdue := d.waiting[channel]
	overdue = overdue || len(d.arrived) > 0 || len(d.room) > 0
	d.mu.Unlock()
	for _, q := range []int{d.queues.in(channel), d.presses.all()} {
		if q > 0 {
			return false
		}
	}
	return !overdue
}

func (q *queue[K]) in(key K) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lanes[key] == nil {
		return 0
	}
	return 1
}

func (q *queue[K]) all() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lanes)
}

// Written waits until the records that were added before are written.
func (d *Questions) Written(ctx context.Context) { d.records.Flush(ctx) }
