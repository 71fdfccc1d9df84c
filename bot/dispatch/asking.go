package dispatch

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// errNothingStands means that the lifetime of a task has ended and that no part of its
// answer stands, so that it must not be answered any more.
var errNothingStands = fmt.Errorf("%w: nothing of it stands", work.ErrUnsent)

// errAway means that heddle was removed from the guild of a question, or that the gateway
// has not reported the guild since heddle was invited. Nothing is known of who may read
// there, so the question must not be answered yet.
var errAway = fmt.Errorf("%w: heddle is not in the guild", work.ErrUnsent)

// asking answers questions, including those that an earlier attempt did not finish.
type asking struct {
	intake    *intake
	questions *alternatives.Questions
	edits     *alternatives.Edits
	reader    *reader
	ledger    *ledger
	clock     Clock
	forget    func(conversation.Question) // erases a question that was deleted
	log       *slog.Logger
}

// task returns the task of answering a question.
func (a *asking) task(q conversation.Question, by asker) *task { return a.taskFrom(q, by, nil) }

// taskFrom returns the task of answering a question of whose answer stands was read. A nil
// stands means that nothing was read.
func (a *asking) taskFrom(q conversation.Question, by asker, stands *standing) *task {
	t := &task{
		key: store.TriggerClaim(q.ID), channel: q.Channel, by: by, asked: q.ID.Time(), pending: a.ledger.takes(q),
		log: a.logger(q),
	}
	t.contested = stands != nil && stands.state == half // even if the question is marked as done
	t.denied = func(ctx context.Context) { a.intake.tellRefused(ctx, t.log, q, by) }
	t.gone = func() { a.forget(q) }
	asks := answer.Question{Question: q, Record: recorded{a.ledger, t}}
	t.do = func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) {
		a.ledger.take(t.pending)
		if err := a.present(q, t); err != nil {
			return "", err
		}
		if t.stage == fresh {
			return a.answer(ctx, log, asks, t, stands)
		}
		return a.resume(ctx, log, asks, t)
	}
	return t
}

// edit returns the task of handling an edit of a question.
func (a *asking) edit(q conversation.Question, by asker, at time.Time, handle alternatives.Handling) *task {
	t := a.task(q, by)
	t.key, t.pending.Edited = store.EditClaim(q.ID, at), at.UnixMicro()
	asks := answer.Question{Question: q, Record: recorded{a.ledger, t}}
	t.do = func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) {
		a.ledger.take(t.pending)
		if err := a.present(q, t); err != nil {
			return "", err
		}
		if t.stage == fresh {
			t.answers()
			return handle(ctx, log, asks)
		}
		stands, err := a.stands(ctx, q)
		if err != nil {
			return "", err
		}
		if stands.state == half {
			telemetry.Count(ctx, telemetry.HalfEnded)
			asks.Begun = stands.parts
		}
		if !t.reads(asks.Begun) {
			return "", errNothingStands
		}
		t.answers()
		return handle(ctx, log, asks)
	}
	return t
}

// present fails with errAway unless heddle is in the guild of a question. An answer of which
// parts are stuck there stays stuck. A doubted answer is whole as far as is known, so
// present does not fail for one.
func (a *asking) present(q conversation.Question, t *task) error {
	switch {
	case t.stage == doubted, a.intake.isReported(q.Guild):
		return nil
	case t.stage == stuck:
		t.isShutOut()
		return fmt.Errorf("%w: %w", errAway, outbox.ErrStuck)
	default:
		return errAway
	}
}

// stands reads which parts of an answer stand, if heddle may read them.
func (a *asking) stands(ctx context.Context, q conversation.Question) (standing, error) {
	stands, err := a.reader.standing(ctx, q)
	if err != nil && !discord.IsForbidden(err) && !discord.IsNotFound(err) {
		return standing{}, fmt.Errorf("%w: %w", work.ErrUnsent, err)
	}
	return stands, nil
}

func (a *asking) logger(q conversation.Question) *slog.Logger {
	return a.log.With("trigger", q.ID, "channel", q.Channel)
}

// answer answers a question that this process has not tried before. A nil stands means that
// nobody else has, as far as is known.
func (a *asking) answer(ctx context.Context, log *slog.Logger, q answer.Question, t *task, stands *standing) (answer.Outcome, error) {
	if stands != nil {
		return a.resumeFrom(ctx, log, q, t, *stands)
	}
	t.answers()
	q.Yields = true
	return a.questions.Answer(ctx, log, q)
}

// resume does what is left to do of a question that was tried before. It overwrites the
// parts of its answer that stand, unless the answer is whole.
func (a *asking) resume(ctx context.Context, log *slog.Logger, q answer.Question, t *task) (answer.Outcome, error) {
	switch t.stage {
	case doubted:
		return a.verify(ctx, log, q, t)
	case stuck:
		return a.free(ctx, log, q, t)
	case fresh, tried:
	}
	stands, err := a.stands(ctx, q.Question)
	if err != nil {
		return "", err
	}
	return a.resumeFrom(ctx, log, q, t, stands)
}

// free is resume for an answer of which a part stands where heddle could neither read nor
// write. The model is not asked again before heddle may read there.
func (a *asking) free(ctx context.Context, log *slog.Logger, q answer.Question, t *task) (answer.Outcome, error) {
	stands, err := a.reader.standing(ctx, q.Question)
	switch {
	case discord.IsForbidden(err):
		t.isShutOut()
		return "", fmt.Errorf("%w: %w: %w", work.ErrUnsent, outbox.ErrStuck, err)
	case discord.IsNotFound(err): // the channel is gone, and the part with it
		return answer.Dropped, nil
	case err != nil:
		return "", fmt.Errorf("%w: %w", work.ErrUnsent, err)
	}
	return a.resumeFrom(ctx, log, q, t, stands)
}

// resumeFrom is resume for an answer of which stands was read.
func (a *asking) resumeFrom(ctx context.Context, log *slog.Logger, q answer.Question, t *task, stands standing) (answer.Outcome, error) {
	if t.stage != fresh || len(stands.parts) > 0 {
		t.contests()
	}
	if stands.state == whole || stands.state == unclear && (t.unmarked || a.questions.IsRecorded(ctx, q, stands.parts)) {
		telemetry.Count(ctx, telemetry.Reconciled)
		return a.found(ctx, log, q, t, stands)
	}
	if stands.state == half && t.leaves(stands.texts()) {
		return "", work.ErrTaken
	}
	if !t.reads(stands.parts) {
		return "", errNothingStands
	}
	if len(stands.parts) > 0 {
		telemetry.Count(ctx, telemetry.HalfEnded)
	}
	telemetry.Count(ctx, telemetry.TakenOver)
	t.answers()
	q.Begun, q.Retried = stands.parts, true
	return a.questions.Answer(ctx, log, q)
}

// found returns the outcome of a question whose answer stands. If the question was
// deleted, found deletes the answer, as the process that sent it may have died before it
// heard of the deletion. If the question was edited, found answers it again over what
// stands, as that process may have died before it handled the edit.
func (a *asking) found(ctx context.Context, log *slog.Logger, q answer.Question, t *task, stands standing) (answer.Outcome, error) {
	if len(stands.parts) > 0 {
		edited, gone := a.reader.version(ctx, q.Channel, q.ID)
		switch {
		case gone:
			log.InfoContext(ctx, "the answer to a deleted question is taken back", "parts", len(stands.parts))
			return a.questions.TakeBack(ctx, log, q.Channel, stands.parts)
		case a.isOutdated(ctx, q, t, edited):
			log.InfoContext(ctx, "an answer stands that nothing is known of, and its question was edited, so it is answered again", "parts", len(stands.parts))
			return a.over(ctx, log, q, t, stands)
		}
	}
	log.InfoContext(ctx, "the answer stands already, it is not given again", "parts", len(stands.parts))
	return answer.Found, nil
}

// isOutdated reports whether a whole answer may have been given to an older version of its
// question, which was last edited at a time, and nobody will handle that edit. Nobody does
// if the process that sent the answer died before it recorded it. Any edit counts, as that
// process may have read the question long before it sent anything.
func (a *asking) isOutdated(ctx context.Context, q answer.Question, t *task, edited time.Time) bool {
	switch {
	case edited.IsZero(), len(t.sent) > 0, t.rival != nil: // who sent it is alive and handles edits
		return false
	default:
		return a.edits.Matter(edited.Sub(q.ID.Time())) && a.questions.IsUnrecorded(ctx, q)
	}
}

// over answers a question again in the messages that stand.
func (a *asking) over(ctx context.Context, log *slog.Logger, q answer.Question, t *task, stands standing) (answer.Outcome, error) {
	t.sent = nil
	t.overwrites()
	q.Begun, q.Retried = stands.parts, true
	return a.questions.Answer(ctx, log, q)
}
