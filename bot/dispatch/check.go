package dispatch

import (
	"context"
	"errors"
	"slices"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/internal/telemetry"
)

// note remembers the messages of a whole answer.
func (t *task) note(sent []outbox.Sent) {
	t.sent = slices.Clone(sent)
	if slices.ContainsFunc(sent, func(s outbox.Sent) bool { return s.Found }) {
		t.contested = true
	}
}

// checks verify, after the fact, that an answer to which another process may have
// written is as it was sent.
type checks struct {
	delays  *delays
	ledger  *ledger
	clock   Clock
	ttl     time.Duration // of claims
	catchUp time.Duration
}

// add schedules the check of a task for a time when no other process can write to its
// answer any more: a process stops when its lease ends, or earlier if it notices that
// the store has forgotten the lease, and what it sent may take a moment to arrive.
// Until then, the store keeps the question.
func (c *checks) add(t *task) {
	due := time.Now()
	if end := t.claimed.Add(c.ttl); len(t.sent) > 0 && end.After(due) {
		due = end
	}
	c.delays.add(due.Add(c.ttl/5), t.channel, job{by: t.by, run: func(ctx context.Context) { c.run(ctx, t) }})
}

// run checks a task, and tries again while Discord or the store is away.
func (c *checks) run(ctx context.Context, t *task) {
	err := t.check(ctx)
	switch {
	case errors.Is(err, alternatives.ErrMended):
		telemetry.Count(ctx, telemetry.Reconciled)
		t.log.InfoContext(ctx, "an answer to which another process had written was put right")
	case err != nil && outbox.MaySucceedLater(err) && c.clock.Now().Sub(t.asked) < t.life(c.catchUp) && ctx.Err() == nil:
		t.log.DebugContext(ctx, "what stands of an answer could not be checked, this is tried again", "error", err)
		c.add(t)
		return
	case err != nil:
		t.log.Log(ctx, work.LogLevel(err), "what stands of an answer could not be checked, parts of another attempt may stand", "error", err)
	}
	c.ledger.settle(t.pending)
}
