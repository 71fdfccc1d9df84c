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

// longestAnswer is how much longer than Settings.CatchUp another process may take for
// an answer.
const longestAnswer = 2 * time.Minute

// leastLife is the least time for which a task is tried again that a process once took.
const leastLife = time.Hour

// task is a piece of work that exactly one process does, once. One goroutine at a time
// uses it.
type task struct {
	key     store.ClaimKey
	channel graph.ChannelID // in whose queue it waits
	by      asker
	asked   time.Time
	log     *slog.Logger
	do      func(context.Context, *slog.Logger) (answer.Outcome, error)
	denied  func(context.Context) // tells the asker that heddle may not answer; may be nil
	gone    func()                // tells that the question was deleted; may be nil
	// pending is the record of the task that the store keeps from the first attempt until
	// the task has ended, so that another process can continue if this one dies. It is
	// zero if nothing is kept.
	pending store.Pending
	// elsewhere is set once another process was seen to work on the task.
	elsewhere bool
	known     bool // this process is working on it, or has done it
	tries     int  // that failed because Discord did not accept the answer
	again     bool // a process has tried it before, so parts of its answer may stand
	half      bool // parts of its answer stood when it was last read
	begun     bool // answering has begun since, so parts may stand
	stuck     bool // parts of its answer stand where heddle may neither read nor write
	last      bool // its lifetime has ended, so it continues only if parts stand
	finished  bool // this process has done it, but could not store the done-mark

	// contested is set if another process may have written to the answer as well. Once
	// the question is done, doubted is set and the answer is verified; see doubt.
	contested, doubted bool
	// taken is set if a process that the store does not know of is answering, too. That
	// process counts as dead once the parts that stand no longer change.
	taken   bool
	stood   []string
	owned   telemetry.Waiting // for another process that holds it
	claimed time.Time         // when this process last tried to claim it
	sent    []outbox.Sent     // the whole answer, if this process sent it
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
// as after any other error. Looking once more at an answer settles what was in doubt, so
// that only what happens meanwhile can be a reason to look again.
func (t *task) attempt(ctx context.Context) (outcome answer.Outcome, err error) {
	if t.doubted {
		t.contested = false
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{string(debug.Stack())}
		}
	}()
	outcome, err = t.do(ctx, t.log)
	t.contested = t.contested || outcome == answer.Torn
	stuck := errors.Is(err, outbox.ErrStuck)
	if (outcome == answer.Denied || stuck && !t.stuck) && t.denied != nil {
		t.denied(ctx)
	}
	t.stuck = stuck
	if outcome == answer.Gone && t.gone != nil {
		t.gone()
	}
	return outcome, err
}

// performer does tasks, each once for all processes, and tries them again while their
// lifetimes last.
type performer struct {
	once    *once
	delays  *delays
	ledger  *ledger
	clock   Clock
	rest    REST
	catchUp time.Duration // see Settings
}

// job returns the job of performing a task. leave is called instead if heddle stops before;
// it may be nil.
func (p *performer) job(t *task, leave func()) job {
	return job{by: t.by, request: t.key.String(), run: func(ctx context.Context) { p.perform(ctx, t) }, leave: leave}
}

// perform does a task once, and logs its error. People were told where the error
// occurred.
func (p *performer) perform(ctx context.Context, t *task) {
	ctx = telemetry.Requested(ctx, t.key.String())
	mine, err := p.once.do(ctx, t)
	if errors.Is(err, errKnown) {
		t.log.DebugContext(ctx, "a task is known already")
		return
	}
	unmarked, ok := errors.AsType[*unmarkedError](err)
	t.finished = t.finished || ok
	switch {
	case ok && !t.isQuestion():
		p.ledger.writes.Add(unmarked.mark)
	case waits(err) && p.performLater(ctx, t, err):
		return
	case err != nil && ctx.Err() != nil && !isPanic(err): // heddle is stopping
		p.once.recent.remove(t.key)
		t.log.DebugContext(ctx, "a task is left to the next process", "error", err)
		return
	case err != nil:
		p.once.recent.remove(t.key)
	}
	t.owned.Over()
	logEnd(ctx, p.clock, t, mine, err)
	if err == nil && t.contested && t.isQuestion() {
		p.doubt(t)
		return
	}
	p.once.recent.end(t.key)
	if isElsewhere(err) {
		return // the process that holds the claim, or gets it next, settles the question
	}
	p.ledger.settle(t.pending)
}

// logEnd logs how a task ended.
func logEnd(ctx context.Context, clock Clock, t *task, mine bool, err error) {
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
	case err != nil && t.doubted:
		t.log.Log(ctx, work.LogLevel(err), "what stands of an answer could not be checked, parts of another attempt may stand", "error", err)
	case err != nil:
		t.log.Log(ctx, work.LogLevel(err), "a task failed", "error", err)
	case t.doubted:
		t.log.DebugContext(ctx, "an answer was looked at once more")
	case !mine:
		t.log.DebugContext(ctx, "a task was done by another process")
	default:
		telemetry.Took(ctx, telemetry.Whole, clock.Now().Sub(t.asked))
		t.log.DebugContext(ctx, "a task is done")
	}
}

// waits reports whether a task that ended with err is to be tried again: another
// process has it or may have it, or Discord did not accept the answer.
func waits(err error) bool {
	return errors.Is(err, store.ErrHeld) || errors.Is(err, work.ErrLost) || errors.Is(err, work.ErrUnsent) || errors.Is(err, work.ErrTaken) || errors.Is(err, store.ErrUnavailable)
}

// isElsewhere reports whether another process may be doing a task that ended with err.
func isElsewhere(err error) bool {
	return errors.Is(err, store.ErrHeld) || errors.Is(err, store.ErrUnavailable)
}

// performLater schedules another attempt at a task: after the process that holds its
// claim has finished or died, or when Discord may accept its answer. It reports false
// if the task's lifetime has ended. If parts of its answer may stand, it is tried once
// more, to find out whether they do.
func (p *performer) performLater(ctx context.Context, t *task, err error) bool {
	unsent := errors.Is(err, work.ErrUnsent)
	if p.clock.Now().Sub(t.asked) > t.life(p.catchUp) && !t.half {
		if !t.begun || errors.Is(err, store.ErrHeld) {
			return false
		}
		t.last = true
	}
	pause := p.once.leases.TTL() / 4
	switch {
	case unsent:
		t.tries++
		pause = max(t.backOff(), p.rest.Delay(http.MethodPost, "/channels/"+t.channel.String()+"/messages"))
		telemetry.Count(ctx, telemetry.Unsendable)
		t.log.WarnContext(ctx, "an answer could not be sent, this is tried again", "tries", t.tries, "pause", pause, "error", err)
	case t.doubted:
		t.log.DebugContext(ctx, "what stands of an answer could not be checked, this is tried again", "error", err)
	case errors.Is(err, work.ErrTaken):
		pause = p.once.leases.TTL()
		t.taken = true
		t.log.InfoContext(ctx, "another process, of which the store does not know, answers; the answer is looked at again later")
	case t.finished: // another process may have begun to answer; look at Discord
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
	p.delays.add(time.Now().Add(pause), t.channel, p.job(t, func() { p.ledger.take(t.pending) }))
	return true
}

// read notes which parts of an unfinished answer stand. It fails if there are none and
// the task's lifetime has ended.
func (t *task) read(parts []graph.MessageID) error {
	t.half, t.begun = len(parts) > 0, false
	if t.last && !t.half {
		return fmt.Errorf("%w: nothing of it stands", work.ErrUnsent)
	}
	return nil
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
// not accept. It grows with every attempt.
func (t *task) backOff() time.Duration {
	const first, longest = time.Second, 30 * time.Second
	return min(first<<min(t.tries-1, 10), longest)
}
