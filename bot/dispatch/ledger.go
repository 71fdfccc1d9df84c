package dispatch

import (
	"context"

	"heddle/bot/answer"
	"heddle/bot/deferred"
	"heddle/store"
)

// ledger has the store keep questions from the first try to answer them until that is
// over. Nobody waits for it: a question whose process dies before it is written is found
// in its channel.
type ledger struct {
	writes  *deferred.Writes
	backlog Taken
}

// pendingOf returns what the store keeps of a question that is to be answered.
func pendingOf(q answer.Question) store.Pending {
	return store.Pending{Guild: q.Guild, Channel: q.Channel, Trigger: q.ID}
}

// take has the store keep a question. What is not one is nowhere kept.
func (l *ledger) take(p store.Pending) {
	if p != (store.Pending{}) {
		l.writes.Add(func(ctx context.Context) error { return l.backlog.Take(ctx, p) })
	}
}

// settle has the store drop a question that is over.
func (l *ledger) settle(p store.Pending) {
	if p != (store.Pending{}) {
		l.writes.Add(func(ctx context.Context) error { return l.backlog.Settle(ctx, p) })
	}
}
