package dispatch

import (
	"context"

	"heddle/bot/answer"
	"heddle/bot/deferred"
	"heddle/store"
)

// ledger keeps in the store the questions that are being answered, from the first
// attempt until they are settled. Nobody waits for its writes: if the process dies
// before one is written, the question is found again by reading its channel.
type ledger struct {
	writes  *deferred.Writes
	backlog Taken
}

// pendingOf returns the record of a question in the ledger.
func pendingOf(q answer.Question) store.Pending {
	return store.Pending{Guild: q.Guild, Channel: q.Channel, Trigger: q.ID}
}

// take records a question. It ignores the zero Pending.
func (l *ledger) take(p store.Pending) {
	if p != (store.Pending{}) {
		l.writes.Add(func(ctx context.Context) error { return l.backlog.Take(ctx, p) })
	}
}

// settle removes the record of a question that is settled.
func (l *ledger) settle(p store.Pending) {
	if p != (store.Pending{}) {
		l.writes.Add(func(ctx context.Context) error { return l.backlog.Settle(ctx, p) })
	}
}
