package dispatch

import (
	"context"
	"errors"
	"net/http"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/guilds"
	"heddle/bot/work"
	"heddle/internal/telemetry"
	"heddle/store"
)

// performer does tasks, each once for all processes, and tries them again while their
// lifetimes last.
type performer struct {
	once    *once
	delays  *delays
	ledger  *ledger
	clock   Clock
	rest    REST
	guilds  *guilds.Cache
	catchUp time.Duration // see Settings
}

// job returns the job of performing a task. leave is called instead if heddle stops before;
// it may be nil.
func (p *performer) job(t *task, leave func()) job {
	return job{by: t.by, request: t.key.String(), run: func(ctx context.Context) { p.perform(ctx, t) }, leave: leave}
}

// perform makes one attempt at a task, schedules the next one if there is to be one, and
// logs how the task ended otherwise. People were told of an error where it occurred.
func (p *performer) perform(ctx context.Context, t *task) {
	ctx = telemetry.Requested(ctx, t.key.String())
	if t.claim != unclaimed && p.isLate(t) {
		t.expires()
	}
	place := p.guilds.Place(t.channel, t.by.guild)
	mine, err := p.once.do(ctx, t)
	if errors.Is(err, errKnown) {
		t.log.DebugContext(ctx, "a task is known already")
		return
	}
	unmarked, ok := errors.AsType[*unmarkedError](err)
	switch {
	case ok && !t.isQuestion():
		p.ledger.writes.Add(unmarked.mark)
	case waits(err) && p.performLater(ctx, t, place, err):
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
		p.checkLater(t)
		return
	}
	p.once.recent.end(t.key)
	if isElsewhere(err) {
		return // the process that holds the claim, or gets it next, settles the question
	}
	p.ledger.settle(t.pending)
}

// performLater schedules another attempt at a task: after the process that holds its
// claim has finished or died, or when Discord may accept its answer. place is what the
// task's channel was when the attempt began; a stuck task is looked at again as soon as it
// is anything else. performLater reports false if the task's lifetime has ended.
func (p *performer) performLater(ctx context.Context, t *task, place guilds.Place, err error) bool {
	if p.isLate(t) && !t.outlives(err) {
		return false
	}
	first := t.claim < elsewhere
	why := t.again(err)
	pause := p.pause(t, why)
	telemetry.Count(ctx, telemetry.Retried)
	if first && t.claim == elsewhere {
		t.owned = telemetry.Wait(ctx, telemetry.ForOwner)
		if why == isHeld {
			t.log.DebugContext(ctx, "another process does a task, it is looked at again later")
		}
	}
	p.logLater(ctx, t, why, pause, err)
	again := delayed{due: time.Now().Add(pause), channel: t.channel, job: p.job(t, func() { p.ledger.take(t.pending) })}
	if why == isStuck {
		again.changed = func() bool { return p.guilds.Place(t.channel, t.by.guild) != place }
	}
	p.delays.put(again)
	if why == isStuck {
		p.delays.hurry() // the place may have changed during the attempt
	}
	return true
}

// isLate reports whether the lifetime of a task has ended.
func (p *performer) isLate(t *task) bool { return p.clock.Now().Sub(t.asked) > t.life(p.catchUp) }

// logLater logs and counts why a task is tried again.
func (p *performer) logLater(ctx context.Context, t *task, why reason, pause time.Duration, err error) {
	switch why {
	case isUnsent, isStuck:
		if t.shutOut > 1 {
			t.log.DebugContext(ctx, "the beginning of an answer still stands where heddle may not read, this is tried again", "tries", t.refusals, "pause", pause, "error", err)
			return
		}
		telemetry.Count(ctx, telemetry.Unsendable)
		t.log.WarnContext(ctx, "an answer could not be sent, this is tried again", "tries", t.refusals, "pause", pause, "error", err)
	case isUnchecked:
		t.log.DebugContext(ctx, "what stands of an answer could not be checked, this is tried again", "error", err)
	case isRivalled:
		t.log.InfoContext(ctx, "another process, of which the store does not know, answers; the answer is looked at again later")
	case isUnmarked: // another process may have begun to answer; look at Discord
		t.log.DebugContext(ctx, "a task could not be marked as done, this is tried again", "error", err)
	case isFenced:
		telemetry.Count(ctx, telemetry.Fenced)
		t.log.InfoContext(ctx, "the claim of a task was lost in its midst, it is looked at again later")
	case isHeld: // this is logged once, when the task is first found to be held
	}
}

// pause returns how long to wait before a task is tried again.
func (p *performer) pause(t *task, why reason) time.Duration {
	ttl := p.once.leases.TTL()
	switch why {
	case isUnsent, isStuck:
		return max(t.backOff(), p.rest.Delay(http.MethodPost, "/channels/"+t.channel.String()+"/messages"))
	case isRivalled:
		return ttl
	case isUnchecked, isUnmarked, isFenced, isHeld:
	}
	return ttl / 4
}

// checkLater schedules another look at the answer of a task that is done, for a time when
// no other process can write to it any more. A process stops writing when its lease ends,
// or earlier if it notices that the store has lost the lease. What it sent may take a
// moment to arrive. Until then, the store keeps the question.
func (p *performer) checkLater(t *task) {
	ttl, due := p.once.leases.TTL(), time.Now()
	if end := t.claimedAt.Add(ttl); len(t.sent) > 0 && end.After(due) {
		due = end
	}
	t.doubts()
	p.delays.add(due.Add(ttl/5), t.channel, p.job(t, nil))
}

// logEnd logs how a task ended.
func logEnd(ctx context.Context, clock Clock, t *task, mine bool, err error) {
	var panicked *panicError
	switch {
	case errors.As(err, &panicked):
		t.log.ErrorContext(ctx, "a task panicked and is given up", "stack", panicked.stack)
	case err != nil && (t.unmarked || isUnmarkedError(err)):
		t.log.DebugContext(ctx, "a task is done, but could not be marked", "error", err)
	case errors.Is(err, store.ErrHeld) && t.isKept():
		t.log.DebugContext(ctx, "the lifetime of a task has ended, it is left to the process that has it")
	case waits(err): // its lifetime has ended
		telemetry.Count(ctx, telemetry.Expired)
		if errors.Is(err, work.ErrUnsent) {
			t.log.WarnContext(ctx, "an answer could not be sent for so long that it is dropped", "tries", t.refusals, "error", err)
			return
		}
		t.log.WarnContext(ctx, "a task that another process had claimed was never done and is dropped")
	case errors.Is(err, alternatives.ErrUnanswered):
		t.log.DebugContext(ctx, "an edited question has no answer that is known, the edit is ignored", "error", err)
	case err != nil && t.stage == doubted:
		t.log.Log(ctx, work.LogLevel(err), "what stands of an answer could not be checked, parts of another attempt may stand", "error", err)
	case err != nil:
		t.log.Log(ctx, work.LogLevel(err), "a task failed", "error", err)
	case t.stage == doubted:
		t.log.DebugContext(ctx, "an answer was looked at once more")
	case !mine:
		t.log.DebugContext(ctx, "a task was done by another process")
	default:
		telemetry.Took(ctx, telemetry.Whole, clock.Now().Sub(t.asked))
		t.log.DebugContext(ctx, "a task is done")
	}
}
