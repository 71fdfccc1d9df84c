package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/internal/telemetry"
	"heddle/store"
)

// longestAnswer is how much longer than Settings.CatchUp another process may take for
// an answer.
const longestAnswer = 2 * time.Minute

// leastLife is the least time for which a task is tried again that a process once took.
const leastLife = time.Hour

// task is a piece of work that exactly one process does, once. One goroutine at a time
// uses it.
type task struct {
	progress

	key     store.ClaimKey
	channel graph.ChannelID // in whose queue it waits
	by      asker
	asked   time.Time
	log     *slog.Logger
	do      func(context.Context, *slog.Logger) (answer.Outcome, error)
	denied  func(context.Context) // tells the asker that heddle may not answer; may be nil
	gone    func()                // tells that the question was deleted; may be nil
	late    func(context.Context) // tells the asker that the task waited for too long; may be nil
	// pending is the record of the task that the store keeps from the first attempt until
	// the task has ended, so that another process can continue if this one dies. It is
	// zero if nothing is kept.
	pending store.Pending

	claimedAt time.Time         // when this process last tried to claim it
	sent      []outbox.Sent     // the whole answer, if this process sent it
	owned     telemetry.Waiting // for another process that holds it
}

// panicError means that a task panicked. It does not hold the value of the panic, which
// may contain what people wrote.
type panicError struct{ stack string }

func (e *panicError) Error() string { return "the task panicked" }

func isPanic(err error) bool {
	_, ok := errors.AsType[*panicError](err)
	return ok
}

// attempt does the task. It turns a panic into an error, so that the claim is released
// as after any other error.
func (t *task) attempt(ctx context.Context) (outcome answer.Outcome, err error) {
	t.begins()
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{string(debug.Stack())}
		}
	}()
	outcome, err = t.do(ctx, t.log)
	if t.ends(outcome, err) && t.denied != nil {
		t.denied(ctx)
	}
	if outcome == answer.Gone && t.gone != nil {
		t.gone()
	}
	return outcome, err
}

// note remembers the messages of a whole answer.
func (t *task) note(sent []outbox.Sent) {
	t.sent = slices.Clone(sent)
	if slices.ContainsFunc(sent, func(s outbox.Sent) bool { return s.Found }) {
		t.contests()
	}
}

// isQuestion reports whether the task is to answer a question. If so, what stands on
// Discord shows whether it is done.
func (t *task) isQuestion() bool { return t.isKept() && t.pending.Edited == 0 }

// isKept reports whether the store keeps the task until it is over.
func (t *task) isKept() bool { return t.pending != (store.Pending{}) }

// life returns how long after its question a task is tried again.
func (t *task) life(catchUp time.Duration) time.Duration {
	if !t.isKept() {
		return catchUp + longestAnswer
	}
	return max(catchUp, leastLife)
}

// backOff returns the pause before the next attempt to send an answer that Discord did
// not accept. It grows with every attempt, and for longer if the task is stuck.
func (t *task) backOff() time.Duration {
	const first, longest, longestStuck = time.Second, 30 * time.Second, 10 * time.Minute
	if t.shutOut > 0 {
		return min(first<<min(t.shutOut-1, 10), longestStuck)
	}
	return min(first<<min(t.refusals-1, 10), longest)
}
