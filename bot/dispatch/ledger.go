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

// ledger records in the store the questions that this process answers. A question is
// recorded at its first attempt, and its record is removed when it is settled. If the process
// dies between the two, another one finds the record and resumes the question.
//
// Records are written in the background. An answer shows no text before the record of its
// question is written, or recordWait is over. If the process dies before that, nothing stands
// of the answer, and reading the channel finds the question again.
type ledger struct {
	writes  *deferred.Writes
	backlog Taken
	self    uint64 // a random number that identifies this process in its records
}

// takenAfter is the pause before the ledger's writes. By the end of it the model has been
// asked. An earlier write to an embedded store would delay that, as both need the processor.
const takenAfter = 5 * time.Millisecond

func newLedger(log *slog.Logger, backlog Taken) *ledger {
	var self [8]byte
	_, _ = rand.Read(self[:]) // it never fails
	return &ledger{writes: deferred.NewUnhurried(log, takenAfter), backlog: backlog, self: binary.BigEndian.Uint64(self[:])}
}

// takes returns the record of a question that this process answers.
func (l *ledger) takes(q conversation.Question) store.Pending {
	p := pendingOf(q)
	p.By = l.self
	return p
}

// pendingOf returns the record of a question that no process has taken yet.
func pendingOf(q conversation.Question) store.Pending {
	return store.Pending{Guild: q.Guild, Channel: q.Channel, Trigger: q.ID}
}

// take writes the record of a question. The zero Pending is no record.
func (l *ledger) take(p store.Pending) {
	if p != (store.Pending{}) {
		l.writes.Add(func(ctx context.Context) error { return l.backlog.Take(ctx, p) })
	}
}

// settle removes the record of a question. The zero Pending is no record.
func (l *ledger) settle(p store.Pending) {
	if p != (store.Pending{}) {
		l.writes.Add(func(ctx context.Context) error { return l.backlog.Settle(ctx, p) })
	}
}

// recorded lets an answer wait for the record of its question, and notes for the task which
// messages the answer consists of.
type recorded struct {
	ledger *ledger
	task   *task
}

// recordWait bounds how long an answer waits for the record of its question. A slow disk
// delays no answer for longer.
const recordWait = time.Second

// Stored waits until the store holds the record. It returns earlier if the store is away, and
// in any case after recordWait.
func (r recorded) Stored(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordWait)
	defer cancel()
	r.ledger.writes.Flush(ctx)
}

// Sent remembers the messages of a whole answer.
func (r recorded) Sent(sent []outbox.Sent) { r.task.note(sent) }
