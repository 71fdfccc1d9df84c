package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
)

// note remembers the messages of a whole answer.
func (t *task) note(sent []outbox.Sent) {
	t.sent = slices.Clone(sent)
	if slices.ContainsFunc(sent, func(s outbox.Sent) bool { return s.Found }) {
		t.contested = true
	}
}

// doubt schedules the verification of a task's answer for a time when no other process
// can write to it any more. A process stops writing when its lease ends, or earlier if it
// notices that the store has lost the lease. What it sent may take a moment to arrive.
// Until then, the store keeps the question.
func (p *performer) doubt(t *task) {
	ttl, due := p.once.leases.TTL(), time.Now()
	if end := t.claimed.Add(ttl); len(t.sent) > 0 && end.After(due) {
		due = end
	}
	t.doubted = true
	p.delays.add(due.Add(ttl/5), t.channel, p.job(t, nil))
}

// verify makes sure that one whole answer to a question stands. It corrects the messages
// if it is known what was sent. Otherwise it answers the question again, in the messages
// that stand.
func (a *asking) verify(ctx context.Context, log *slog.Logger, q answer.Question, t *task) (answer.Outcome, error) {
	var stands standing
	err := a.questions.Mend(ctx, log, q, func(ctx context.Context) (said []discord.Message, err error) {
		stands, err = a.missed.standing(ctx, q.Question)
		return stands.said, err
	}, t.sent)
	switch {
	case err == nil, errors.Is(err, alternatives.ErrUnknown) && stands.state >= unclear:
		return a.found(ctx, log, q, stands)
	case errors.Is(err, alternatives.ErrMended):
		telemetry.Count(ctx, telemetry.Reconciled)
		log.InfoContext(ctx, "an answer to which another process had written was put right")
		return a.found(ctx, log, q, stands)
	case errors.Is(err, alternatives.ErrTorn), errors.Is(err, alternatives.ErrUnknown):
	case work.IsLost(ctx), errors.Is(err, discord.ErrFenced):
		return "", work.ErrLost
	case outbox.MaySucceedLater(err):
		return "", fmt.Errorf("%w: %w", work.ErrUnsent, err)
	default:
		return "", err
	}
	telemetry.Count(ctx, telemetry.Reconciled)
	log.InfoContext(ctx, "what stands of an answer is not one whole answer, the question is answered again", "parts", len(stands.parts))
	t.sent = nil
	q.Begun, q.Retried, q.Yields, t.half, t.begun = stands.parts, true, false, true, true
	return a.questions.Answer(ctx, log, q)
}
