package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/telemetry"
	"heddle/store"
)

// longestAnswer is how much longer than Settings.CatchUp another process may take.
const longestAnswer = 2 * time.Minute

// leastLife is for how long at least a task is tried that a process once took.
const leastLife = time.Hour

// task is something to do once, by one of all processes. One goroutine at a time has it
// in hand.
type task struct {
	key     store.ClaimKey
	channel graph.ChannelID // in whose queue it waits
	by      asker
	asked   time.Time
	log     *slog.Logger
	do      func(context.Context, *slog.Logger) (answer.Outcome, error)
	denied  func(context.Context) // tells whoever asked that heddle may not answer; nil for nothing
	// pending is what the store keeps from the first try until the task is over, so that
	// another process goes on if this one ends; zero for nothing.
	pending store.Pending
	// elsewhere is set once another process was seen to do the task.
	elsewhere bool
	inHand    bool // this process has it in hand, or has done it
	tries     int  // that ended because Discord did not take the answer
	again     bool // some process has tried it before: parts of its answer may stand
	half      bool // parts of its answer stand, as was read last
	begun     bool // answering began after that, so that parts may stand
	last      bool // its lifetime has ended: it only goes on if parts stand
	finished  bool // this process has done it, but could not mark it

	// contested is set if another process may have written to the answer beside the one
	// that gave it; see check.
	contested bool
	// taken is set if another process answers of which the store does not know. It is
	// given up once what stands is what stood at the last look.
	taken   bool
	stood   []string
	owned   telemetry.Waiting           // for another process that has it
	claimed time.Time                   // when this process last tried to claim it
	sent    []outbox.Sent               // the whole answer, if this process sent it
	check   func(context.Context) error // nil for nothing
}

// panicError is a panic of a task. It holds no value of the panic, which may hold what
// people wrote.
type panicError struct{ stack string }

func (e *panicError) Error() string { return "the task panicked" }

func isPanic(err error) bool {
	_, ok := errors.AsType[*panicError](err)
	return ok
}

// attempt does the task. A panic becomes an error, so that the claim ends as after any
// other error.
func (t *task) attempt(ctx context.Context) (outcome answer.Outcome, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{string(debug.Stack())}
		}
	}()
	outcome, err = t.do(ctx, t.log)
	if outcome == answer.Denied && t.denied != nil {
		t.denied(ctx)
	}
	return outcome, err
}

// perform does a task once. An error is logged here and goes no further: people were
// told of it by whoever met it.
func (d *Dispatcher) perform(ctx context.Context, t *task) {
	ctx = telemetry.Requested(ctx, t.key.String())
	mine, err := d.once.do(ctx, t)
	if errors.Is(err, errKnown) {
		t.log.DebugContext(ctx, "a task is known already")
		return
	}
	unmarked, ok := errors.AsType[*unmarkedError](err)
	t.finished = t.finished || ok
	switch {
	case ok && !t.isQuestion():
		d.asking.ledger.writes.Add(unmarked.mark)
	case waits(err) && d.performLater(ctx, t, err):
		return
	case err != nil && ctx.Err() != nil && !isPanic(err): // heddle stops
		d.once.recent.remove(t.key)
		t.log.DebugContext(ctx, "a task is left to the next process", "error", err)
		return
	case err != nil:
		d.once.recent.remove(t.key)
	}
	t.owned.Over()
	over(ctx, d.asking.clock, t, mine, err)
	if err == nil && t.contested && t.check != nil {
		d.asking.checks.add(t)
		return
	}
	if isElsewhere(err) {
		return // whoever has the claim, or gets it next, settles the question
	}
	d.asking.ledger.settle(t.pending)
}

// over logs how a task ended.
func over(ctx context.Context, clock Clock, t *task, mine bool, err error) {
	var panicked *panicError
	switch {
	case errors.As(err, &panicked):
		t.log.ErrorContext(ctx, "a task panicked and is given up", "stack", panicked.stack)
	case t.finished && err != nil:
		t.log.DebugContext(ctx, "a task is done, but could not be marked", "error", err)
	case errors.Is(err, store.ErrHeld) && t.isKept():
		t.log.DebugContext(ctx, "the lifetime of a task has ended, it is left to the process that has it")
	case waits(err): // its lifetime has ended
		telemetry.Count(ctx, telemetry.Expired)
		if errors.Is(err, work.ErrUnsent) {
			t.log.WarnContext(ctx, "an answer could not be sent for so long that it is dropped", "tries", t.tries, "error", err)
			return
		}
		t.log.WarnContext(ctx, "a task that another process had claimed was never done and is dropped")
	case errors.Is(err, alternatives.ErrUnanswered):
		t.log.DebugContext(ctx, "an edited question has no answer that is known, the edit is ignored", "error", err)
	case err != nil:
		t.log.Log(ctx, work.LogLevel(err), "a task failed", "error", err)
	case !mine:
		t.log.DebugContext(ctx, "a task was done by another process")
	default:
		telemetry.Took(ctx, telemetry.Whole, clock.Now().Sub(t.asked))
		t.log.DebugContext(ctx, "a task is done")
	}
}

// waits reports whether a task that ended with err is to be tried again: another process
// has it or may have it, or Discord did not take the answer.
func waits(err error) bool {
	return errors.Is(err, store.ErrHeld) || errors.Is(err, work.ErrLost) || errors.Is(err, work.ErrUnsent) || errors.Is(err, work.ErrTaken) || errors.Is(err, store.ErrUnavailable)
}

// isElsewhere reports whether a task that ended with err may be in another process' hand.
func isElsewhere(err error) bool {
	return errors.Is(err, store.ErrHeld) || errors.Is(err, store.ErrUnavailable)
}

// performLater tries a task again: once the process that does it has ended or died, as
// its claim then shows, or once Discord may take its answer. It reports false for a task
// whose lifetime has ended. If parts of its answer may stand, it is tried once more, which
// shows whether they do.
func (d *Dispatcher) performLater(ctx context.Context, t *task, err error) bool {
	unsent := errors.Is(err, work.ErrUnsent)
	if d.asking.clock.Now().Sub(t.asked) > t.life(d.settings.CatchUp) && !t.half {
		if !t.begun || errors.Is(err, store.ErrHeld) {
			return false
		}
		t.last = true
	}
	pause := d.once.leases.TTL() / 4
	switch {
	case unsent:
		t.tries++
		pause = max(t.backOff(), d.asking.missed.rest.Delay(http.MethodPost, "/channels/"+t.channel.String()+"/messages"))
		telemetry.Count(ctx, telemetry.Unsendable)
		t.log.WarnContext(ctx, "an answer could not be sent, this is tried again", "tries", t.tries, "pause", pause, "error", err)
	case errors.Is(err, work.ErrTaken):
		pause = d.once.leases.TTL()
		t.taken = true
		t.log.InfoContext(ctx, "another process, of which the store does not know, answers; the answer is looked at again later")
	case t.finished: // another process may have begun it anew: what stands tells
		t.log.DebugContext(ctx, "a task could not be marked as done, this is tried again", "error", err)
	case errors.Is(err, work.ErrLost):
		telemetry.Count(ctx, telemetry.Fenced)
		t.log.InfoContext(ctx, "the claim of a task was lost in its midst, it is looked at again later")
	case !t.elsewhere:
		t.log.DebugContext(ctx, "another process does a task, it is looked at again later")
	}
	telemetry.Count(ctx, telemetry.Retried)
	if !unsent && !t.elsewhere {
		t.owned = telemetry.Wait(ctx, telemetry.ForOwner)
	}
	t.elsewhere, t.again = t.elsewhere || !unsent, true
	j := job{by: t.by, run: func(ctx context.Context) { d.perform(ctx, t) }, leave: func() { d.asking.ledger.take(t.pending) }}
	d.delays.add(time.Now().Add(pause), t.channel, j)
	return true
}

// read notes which parts of an answer stand that is not whole. It fails if there are none
// and the lifetime of the task has ended.
func (t *task) read(parts []graph.MessageID) error {
	t.half, t.begun = len(parts) > 0, false
	if t.last && !t.half {
		return fmt.Errorf("%w: nothing of it stands", work.ErrUnsent)
	}
	return nil
}

// isQuestion reports whether the task is to answer a question. What stands on Discord then
// shows whether it is done.
func (t *task) isQuestion() bool { return t.isKept() && t.pending.Edited == 0 }

// isKept reports whether the store keeps the task until it is over.
func (t *task) isKept() bool { return t.pending != (store.Pending{}) }

// life returns how long after it was asked a task is tried.
func (t *task) life(catchUp time.Duration) time.Duration {
	if !t.isKept() {
		return catchUp + longestAnswer
	}
	return max(catchUp, leastLife)
}

// backOff returns how long to wait before an answer that Discord did not take is sent
// again: longer with every try.
func (t *task) backOff() time.Duration {
	const first, longest = time.Second, 30 * time.Second
	return min(first<<min(t.tries-1, 10), longest)
}
