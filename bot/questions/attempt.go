package questions

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"heddle/bot/answer"
	"heddle/bot/reply"
	"heddle/internal/telemetry"
	"heddle/store"
)

const (
	// leastLife is the least time for which a question is tried again.
	leastLife = time.Hour
	// The pause after an attempt that Discord did not accept grows from firstPause to
	// longestPause.
	firstPause, longestPause = time.Second, time.Minute
)

// start opens a task and queues it, and reports whether it told anything new. The store then
// holds its record until it is settled, so a queue that is full loses nothing: recovery looks
// the record up once there is room.
func (r *runner) start(t *task) (isNew bool) {
	queued, isNew := r.tasks.add(t)
	if queued != nil {
		r.take(queued.record)
		r.queue(queued)
	}
	return isNew
}

// queue puts an open task into the queue of its channel. What is only to be deleted waits for
// no answers.
func (r *runner) queue(t *task) {
	j := job{by: t.by, run: func(ctx context.Context) { r.perform(ctx, t) }}
	var err error
	if r.tasks.isGone(t) {
		err = r.presses.push(press{message: t.q.ID}, j)
	} else {
		err = r.queues.push(t.q.Channel, j)
	}
	switch {
	case errors.Is(err, errFull) && (t.looks || t.before.Looked || t.before.Err != nil): // an answer may stand
		time.AfterFunc(store.Retry, func() { r.queue(t) })
	case err != nil:
		r.tasks.drop(t)
		t.log.Warn("a question waits in the store", "error", err)
	}
}

// perform makes one attempt at a task, schedules the next one if there is to be one, and logs
// how the task ended otherwise. People were told of an error where it occurred.
func (r *runner) perform(ctx context.Context, t *task) {
	a := attempt{r: r, task: t, late: r.REST.Now().Sub(t.asked) > r.life()}
	a.news = r.tasks.begin(t)
	id := store.TriggerClaim(t.q.ID).String()
	if !a.news.edited.IsZero() {
		id += "." + strconv.FormatInt(a.news.edited.UnixMicro(), 10)
	}
	ctx = telemetry.Requested(ctx, id)
	if t.q.Place.Scope == "" && !r.meet(ctx, t) {
		r.tasks.drop(t)
		return
	}
	if _, known := r.parts.further(t.q.ID); !known && !a.news.gone {
		r.readParts(ctx, t)
		a.news = r.tasks.begin(t)
	}
	if t.missed {
		r.Checker.Await(ctx, t.q.Guild)
		t.missed = false
	}
	a.end(ctx, a.do(ctx))
}

// life returns how long after it was asked a question is tried again.
func (r *runner) life() time.Duration { return max(r.catchUp, leastLife) }

// end decides what follows an attempt.
func (a *attempt) end(ctx context.Context, err error) {
	var panicked *answer.PanicError
	switch {
	case err == nil:
		a.logEnd(ctx)
		if a.before.Doubt || a.before.Unkept {
			a.checkLater()
			return
		}
	case errors.As(err, &panicked):
		a.log.ErrorContext(ctx, "a task panicked and is given up", "stack", panicked.Stack)
	case ctx.Err() != nil:
		a.r.tasks.drop(a.task) // the record stays
		a.log.DebugContext(ctx, "a task is left to the next process", "error", err)
		return
	case isPassing(err) && (!a.late || a.before.Begun):
		a.tryLater(ctx, err)
		return
	default:
		a.logFailure(ctx, err)
	}
	if !a.r.tasks.settle(a.task, a.news, err) {
		a.r.take(a.record) // it may have been settled with the answer
		a.r.queue(a.task)
		return
	}
	a.owned.Over()
	if a.news.asked && !a.news.edited.IsZero() && isSaid(err) {
		q := a.question()
		a.r.Answers.TellUnanswered(ctx, &q, err)
	}
	if !errors.Is(err, store.ErrHeld) { // otherwise whoever has it may yet die
		a.r.settle(a.record)
	}
}

// isPassing reports whether an attempt that failed is to be repeated: another process has the
// question or may have it, or Discord did not accept the answer.
func isPassing(err error) bool {
	return errors.Is(err, store.ErrHeld) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, answer.ErrLost) || errors.Is(err, answer.ErrUnsent)
}

// isSaid reports whether people are told of the error with which an edit was given up: not if
// another process may have answered it, or if there is no answer or nowhere to say so.
func isSaid(err error) bool {
	return err != nil && !errors.Is(err, store.ErrHeld) && !errors.Is(err, answer.ErrLost) && !errors.Is(err, answer.ErrUnsent) && !errors.Is(err, answer.ErrUnanswered)
}

// tryLater schedules another attempt: after the process that holds the claim has finished or
// died, or when Discord may accept the answer.
func (a *attempt) tryLater(ctx context.Context, err error) {
	telemetry.Count(ctx, telemetry.Retried)
	pause := a.r.Leases.TTL() / 4
	switch {
	case errors.Is(err, answer.ErrUnsent):
		pause = max(min(firstPause<<min(a.refusals, 10), longestPause), a.r.REST.Delay(http.MethodPost, "/channels/"+a.q.Channel.String()+"/messages"))
		a.refusals++
		level := slog.LevelWarn
		if errors.Is(err, reply.ErrUnfinished) && a.refusals > 1 { // it may last for days
			level = slog.LevelDebug
		}
		telemetry.Count(ctx, telemetry.Unsendable)
		a.log.Log(ctx, level, "an answer could not be sent, this is tried again", "tries", a.refusals, "pause", pause, "error", err)
	case errors.Is(err, answer.ErrLost):
		telemetry.Count(ctx, telemetry.Fenced)
		a.log.InfoContext(ctx, "the claim of a task was lost in its midst, it is looked at again later")
	case a.owned == (telemetry.Waiting{}):
		a.owned = telemetry.Wait(ctx, telemetry.ForOwner)
		a.log.DebugContext(ctx, "another process does a task, it is looked at again later", "error", err)
	}
	a.again(pause)
}

// again queues the task after a pause.
func (a *attempt) again(pause time.Duration) {
	a.r.tasks.later(a.task, a.news, pause, func() { a.r.queue(a.task) })
}

// checkLater schedules another look at an answer, for a time when no other process can write
// to it any more. A process stops writing when its lease ends, or earlier if it notices that
// the store has lost the lease. What it sent may take a moment to arrive. Until then, the
// store keeps the question; it may have been emptied since it was asked.
func (a *attempt) checkLater() {
	ttl := a.r.Leases.TTL()
	pause := ttl / 5
	if len(a.before.Sent) > 0 {
		pause += ttl
	}
	a.before.Doubt, a.checks = false, true
	a.r.take(a.record)
	a.again(pause)
}

// logEnd logs how an attempt ended that did not fail.
func (a *attempt) logEnd(ctx context.Context) {
	switch {
	case a.checks:
		a.log.DebugContext(ctx, "an answer was looked at once more")
	case a.before.Done:
		a.log.DebugContext(ctx, "a task was done by another process")
	default:
		telemetry.Took(ctx, telemetry.Whole, a.r.REST.Now().Sub(a.asked))
		a.log.DebugContext(ctx, "a task is done")
	}
}

// logFailure logs why a task is not tried again.
func (a *attempt) logFailure(ctx context.Context, err error) {
	switch {
	case errors.Is(err, store.ErrHeld):
		a.log.DebugContext(ctx, "the lifetime of a task has ended, it is left to the process that has it")
	case errors.Is(err, answer.ErrUnsent):
		telemetry.Count(ctx, telemetry.Expired)
		a.log.WarnContext(ctx, "an answer could not be sent for so long that it is dropped", "tries", a.refusals, "error", err)
	case isPassing(err):
		telemetry.Count(ctx, telemetry.Expired)
		a.log.WarnContext(ctx, "a task that another process had claimed was never done and is dropped")
	case errors.Is(err, answer.ErrUnanswered):
		a.log.DebugContext(ctx, "an edited question has no answer that is known, the edit is ignored", "error", err)
	default:
		a.log.Log(ctx, store.LogLevel(err), "a task failed", "error", err)
	}
}

// attempt is one try to make an answer agree with its question.
type attempt struct {
	*task

	r    *runner
	news news // what is known of the question; its version is the newest that was read
	late bool // the lifetime of the question has ended
}

// do makes the attempt, again at once if the question is edited meanwhile. People who must know of
// the outcome are told.
func (a *attempt) do(ctx context.Context) (err error) {
	for { // again if the question is edited or continued meanwhile
		a.q.Parts, _ = a.r.parts.further(a.q.ID)
		a.before, err = a.r.Answers.Answer(ctx, a.question())
		a.news = a.news.and(&news{edited: a.before.Version})
		if lease, ended := a.before.Unmarked, string(a.before.Ended); lease != (store.Lease{}) {
			a.r.records.Add(func(ctx context.Context) error { return a.r.Store.Claims.Done(ctx, lease, ended) })
		}
		if !errors.Is(err, answer.ErrChanged) || ctx.Err() != nil {
			break
		}
		a.news = a.r.tasks.begin(a.task)
	}
	if errors.Is(err, reply.ErrUnfinished) || a.before.Ended == answer.Denied {
		if err := a.r.Gate.Refused(ctx, a.log, reply.To{Channel: a.q.Channel, Trigger: a.q.ID}, a.by.person, a.q.Place); err != nil {
			a.log.Log(ctx, store.LogLevel(err), "somebody could not be told that heddle may not answer where they asked", "error", err)
		}
	}
	if err == nil && a.before.Ended == answer.Gone && !a.news.gone {
		a.r.forget(a.q)
	}
	return err
}

// question returns the question as far as it is known.
func (a *attempt) question() answer.Question {
	q := answer.Question{
		Question: a.q, Asks: a.news.asked, Version: a.news.edited, Answer: a.news.parts, Before: a.before, Late: a.late, Taken: a.record,
		Stored: a.r.records.Written(),
	}
	switch {
	case a.news.gone:
		q.Cause = answer.Deleted
	case a.checks:
		q.Cause = answer.Checked
	case a.looks:
		q.Cause = answer.Missed
	case !a.news.edited.IsZero():
		q.Cause = answer.Changed
	}
	return q
}

// version returns the time of an edit as the store holds it; 0 for none.
func version(edited time.Time) int64 {
	if edited.IsZero() {
		return 0
	}
	return edited.UnixMicro()
}
