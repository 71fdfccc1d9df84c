package questions

import (
	"context"

	"heddle/graph"
)

// IsIdle reports whether nothing is to be done in a channel now.
func (qs *Questions) IsIdle(channel graph.ChannelID) bool {
	qs.unread.mu.Lock()
	_, overdue := qs.unread.waiting[channel]
	overdue = overdue || len(qs.unread.arrived) > 0 || len(qs.room) > 0
	qs.unread.mu.Unlock()
	for _, q := range []int{qs.queues.in(channel), qs.presses.all()} {
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
func (qs *Questions) Written(ctx context.Context) { qs.records.Flush(ctx) }
