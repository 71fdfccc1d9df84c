package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/deferred"
	"heddle/bot/outbox"
	"heddle/store"
)

// Taken stores questions while they are being answered, from the first attempt until
// they are settled; store.Backlog does.
type Taken interface {
	Take(ctx context.Context, taken store.Pending) error
	Taken(ctx context.Context) ([]store.Pending, error)
	Settle(ctx context.Context, taken store.Pending) error
}

// ledger keeps in the store the questions that are being answered, from the first
// attempt until they are settled. Only the first text of an answer waits for its writes. If
// the process dies before one is written, nothing stands of the answer, and a new question is
// found again by reading its channel.
type ledger struct {
	writes  *deferred.Writes
	backlog Taken
	self    uint64 // identifies this process, so that others do not settle what it took
}

// takenAfter is how long after its mention a question is recorded, at the earliest. By
// then the model has been asked. An earlier write to an embedded store would compete with
// that for the processor.
const takenAfter = 5 * time.Millisecond

func newLedger(log *slog.Logger, backlog Taken) *ledger {
	var self [8]byte
	_, _ = rand.Read(self[:]) // it never fails
	return &ledger{writes: deferred.NewUnhurried(log, takenAfter), backlog: backlog, self: binary.BigEndian.Uint64(self[:])}
}

// takes returns what the store keeps of a question that this process answers.
func (l *ledger) takes(q conversation.Question) store.Pending {
	p := pendingOf(q)
	p.By = l.self
	return p
}

// pendingOf returns the record of a question in the ledger.
func pendingOf(q conversation.Question) store.Pending {
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

// recorded is a task whose question was taken.
type recorded struct {
	ledger *ledger
	task   *task
}

// recordWait bounds how long an answer waits for the record of its question, so that a slow
// disk delays no answer for long.
const recordWait = time.Second

// Stored waits until the store holds the record. It returns early if the store is away, and
// after recordWait at the latest.
func (r recorded) Stored(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordWait)
	defer cancel()
	r.ledger.writes.Flush(ctx)
}

// Sent remembers the messages of a whole answer.
func (r recorded) Sent(sent []outbox.Sent) { r.task.note(sent) }
