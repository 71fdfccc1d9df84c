package dispatch

import (
	"context"
	"fmt"
	"log/slog"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/work"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// asking answers questions, those included that were tried before.
type asking struct {
	questions *alternatives.Questions
	missed    *missed
	ledger    *ledger
	log       *slog.Logger
}

// task returns the task of answering a question.
func (a *asking) task(q answer.Question, by asker) *task {
	t := &task{
		key: store.TriggerClaim(q.ID), channel: q.Channel, by: by, asked: q.ID.Time(), pending: pendingOf(q),
		log: a.logger(q),
	}
	t.do = func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) {
		a.ledger.take(t.pending)
		if t.again {
			return a.resume(ctx, log, q, t)
		}
		return a.questions.Answer(ctx, log, q)
	}
	return t
}

// taskFrom returns the task of answering a question of whose answer something may stand.
func (a *asking) taskFrom(q answer.Question, by asker, stands standing) *task {
	t := a.task(q, by)
	t.do = func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) {
		a.ledger.take(t.pending)
		if t.again {
			return a.resume(ctx, log, q, t)
		}
		return a.resumeFrom(ctx, log, q, t, stands)
	}
	return t
}

func (a *asking) logger(q answer.Question) *slog.Logger {
	return a.log.With("trigger", q.ID, "channel", q.Channel)
}

// resume answers a question that was tried before. What stands of its answer is
// overwritten, unless it is whole.
func (a *asking) resume(ctx context.Context, log *slog.Logger, q answer.Question, t *task) (answer.Outcome, error) {
	stands, err := a.missed.standing(ctx, q)
	if err != nil && !discord.IsForbidden(err) && !discord.IsNotFound(err) {
		return "", fmt.Errorf("%w: %w", work.ErrUnsent, err)
	}
	return a.resumeFrom(ctx, log, q, t, stands)
}

// resumeFrom answers a question of whose answer something may stand.
func (a *asking) resumeFrom(ctx context.Context, log *slog.Logger, q answer.Question, t *task, stands standing) (answer.Outcome, error) {
	if stands.state == whole || stands.state == unclear && a.questions.IsRecorded(ctx, q, stands.parts) {
		telemetry.Count(ctx, telemetry.Reconciled)
		log.InfoContext(ctx, "the answer stands already, it is not given again", "parts", len(stands.parts))
		return answer.Found, nil
	}
	if t.half = len(stands.parts) > 0; t.half {
		telemetry.Count(ctx, telemetry.HalfEnded)
	}
	telemetry.Count(ctx, telemetry.TakenOver)
	q.Begun, q.Retried = stands.parts, true
	return a.questions.Answer(ctx, log, q)
}
