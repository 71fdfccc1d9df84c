package dispatch

import (
	"context"
	"testing"

	"heddle/graph"
	"heddle/store"
)

// TestATakenQuestionWaitsOnceToBeResumed looks for taken questions again and again while
// their channel is busy.
func TestATakenQuestionWaitsOnceToBeResumed(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	ctx, stop := context.WithCancel(t.Context())
	q := newQueues[graph.ChannelID](ctx, p.log, 1, 100)
	ended := make(chan struct{})
	go func() { defer close(ended); p.tasks.ledger.writes.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended; q.close() })
	p.takeover.queues = q
	busy := make(chan struct{})
	if err := q.push(1, job{run: func(ctx context.Context) { close(busy); <-ctx.Done() }}); err != nil {
		t.Fatal(err)
	}
	<-busy
	for trigger := range graph.MessageID(3) {
		if err := p.shared.Backlog.Take(ctx, store.Pending{Channel: 1, Trigger: 5 + trigger}); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		p.takeover.look()
		p.tasks.ledger.writes.Flush(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if waiting := len(q.lanes[1].waiting); waiting != 3 {
		t.Errorf("%d jobs wait to resume 3 questions, want 3", waiting)
	}
}
