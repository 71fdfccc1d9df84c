package answer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
)

// deletedQuestions deletes answers whose questions were deleted, before or after the answer
// was sent.
type deletedQuestions struct {
	outbox *outbox.Outbox
	flush  time.Duration // see Deps
}

// lookAfter is how long a question that was read is assumed to exist while heddle is
// connected and would hear of its deletion.
const lookAfter = 5 * time.Second

// watch returns the context in which a job's answer is sent, and a function with which
// an outbox asks whether the question was deleted. If it was, the context ends as it does
// after the event. It asks Discord only if the event may have been missed or may be late,
// as a connection can end without a sign.
func (d *deletedQuestions) watch(ctx context.Context, job Job, read time.Time) (context.Context, func(context.Context) bool) {
	watched, drop := context.WithCancelCause(ctx)
	return watched, func(ctx context.Context) bool {
		if !job.Retried && work.Heard(watched) && time.Since(read) < lookAfter {
			return false
		}
		gone := d.outbox.IsGone(ctx, job.Channel, job.ID)
		if gone {
			drop(work.ErrQuestionGone)
		}
		return gone
	}
}

// standing returns the messages that may show a part of a job's answer, given those
// that were sent, oldest first.
func (j *Job) standing(sent []outbox.Sent) []graph.MessageID {
	all := append(parts(sent), j.Begun...)
	slices.Sort(all)
	return slices.Compact(all)
}

// takeBack ends an answer whose question was deleted, and deletes its messages.
func (d *deletedQuestions) takeBack(ctx context.Context, log *slog.Logger, out *outbox.Answer) (Outcome, error) {
	ending, cancel := work.Ending(work.Outliving(ctx), d.flush)
	defer cancel()
	if err := out.Discard(ending); err != nil {
		return unsent(ctx, log, err)
	}
	return Dropped, nil
}

// remove deletes the messages of an answer whose question was deleted.
func (d *deletedQuestions) remove(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (Outcome, error) {
	ending, cancel := work.Ending(work.Outliving(ctx), d.flush)
	defer cancel()
	switch err := d.outbox.RemoveAll(ending, channel, parts); {
	case err == nil:
		return Dropped, nil
	case work.IsLost(ctx), errors.Is(err, discord.ErrFenced):
		return "", work.ErrLost
	case outbox.MaySucceedLater(err):
		return "", fmt.Errorf("%w: %w", work.ErrUnsent, err)
	default:
		log.WarnContext(ctx, "the answer to a deleted question could not be deleted and stands", "error", err)
		return Dropped, nil
	}
}

// removeAll is remove for a question whose deletion no event told. Its outcome is Gone.
func (d *deletedQuestions) removeAll(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (Outcome, error) {
	if _, err := d.remove(ctx, log, channel, parts); err != nil {
		return "", err
	}
	return Gone, nil
}

// settle returns the outcome of an answer that was sent and recorded. If the connection to
// Discord was interrupted meanwhile, settle asks whether the question still exists. The
// check that follows an interruption covers only what was recorded before it.
func (d *deletedQuestions) settle(ctx context.Context, log *slog.Logger, p *Prepared, sent []outbox.Sent, outcome Outcome) (Outcome, error) {
	switch {
	case work.IsQuestionGone(ctx):
		return d.remove(ctx, log, p.Channel, p.standing(sent))
	case p.Spoken == nil && !work.Heard(ctx) && d.outbox.IsGone(ctx, p.Channel, p.ID):
		return d.removeAll(ctx, log, p.Channel, p.standing(sent))
	}
	return outcome, nil
}

// isGone reports whether work under ctx ended, or failed, because the question was
// deleted.
func isGone(ctx context.Context, failure error) bool {
	return errors.Is(failure, work.ErrQuestionGone) || work.IsQuestionGone(ctx)
}
