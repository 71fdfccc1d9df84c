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
	"heddle/store"
)

// earlier returns earlier answers to a question; store.Responses does.
type earlier interface {
	// ByTrigger returns all responses to a trigger; none is no error.
	ByTrigger(ctx context.Context, scope store.Scope, trigger graph.MessageID) ([]store.Response, error)
}

// unsent ends a job whose answer Discord did not accept. The error is work.ErrLost if
// another process may answer now, work.ErrTaken if one does, and work.ErrUnsent if
// Discord may accept the answer later.
func unsent(ctx context.Context, log *slog.Logger, err error) (Outcome, error) {
	switch {
	case work.IsLost(ctx), errors.Is(err, discord.ErrFenced):
		return "", work.ErrLost
	case errors.Is(err, outbox.ErrTaken):
		return "", work.ErrTaken
	case outbox.MaySucceedLater(err):
		return "", fmt.Errorf("%w: %w", work.ErrUnsent, err)
	case errors.Is(err, outbox.ErrTorn):
		log.InfoContext(ctx, "a message of an answer was deleted while it was sent, what stands is looked at again later", "error", err)
		return Torn, nil
	case errors.Is(err, outbox.ErrNoPermission):
		log.InfoContext(ctx, "heddle may not write where it was asked, its answer is dropped", "error", err)
		return Denied, nil
	default:
		log.WarnContext(ctx, "an answer could not be sent and is dropped", "error", err)
		return Dropped, nil
	}
}

// whole returns the messages that an answer is recorded with: none if a part of it is
// missing or has yet to be sent.
func whole(sent []outbox.Sent, err error) []outbox.Sent {
	if err != nil && (errors.Is(err, discord.ErrFenced) || errors.Is(err, outbox.ErrTaken) || errors.Is(err, outbox.ErrTorn) || outbox.MaySucceedLater(err)) {
		return nil
	}
	return sent
}

// kept returns an answer to the same question that could not be sent before, or nil if
// there is none. An answer with files is made again, as the files are not stored.
func (a *Answers) kept(ctx context.Context, log *slog.Logger, p *Prepared) *store.Response {
	if !p.Retried {
		return nil
	}
	responses, err := a.earlier.ByTrigger(ctx, p.Place.Scope, p.ID)
	if err != nil {
		log.DebugContext(ctx, "it could not be looked up whether an answer was kept, the model is asked", "error", err)
		return nil
	}
	standing := a.recorder.standing(p)
	i := slices.IndexFunc(responses, func(r store.Response) bool {
		return len(r.Replies) == 0 && r.Text != "" && r.FinishReason != finishFailed && len(r.Artifacts) == 0 &&
			r.Generation == standing.Generation && r.Reply == standing.Reply && r.PathHash == p.Hash()
	})
	if i < 0 {
		return nil
	}
	return &responses[i]
}

// resend sends an answer that was kept.
func (a *Answers) resend(ctx context.Context, log *slog.Logger, p *Prepared, kept *store.Response) (Outcome, error) {
	ending, cancel := work.Ending(ctx, a.flush)
	defer cancel()
	p.Account.Unasked(ctx)
	a.recorder.made(p, kept)
	sent, err := a.outbox.Put(ending, p.to(), kept.Text, p.Target.Final(ending, log, kept, kept.Notice))
	log.InfoContext(ctx, "an answer that was kept was sent", "path", p.Hash(), "took", time.Since(p.started))
	if work.IsQuestionGone(ctx) {
		return a.remove(ctx, log, p.Channel, p.standing(sent))
	}
	a.recorder.record(ending, log, p.Job, kept, whole(sent, err))
	if err != nil {
		return unsent(ctx, log, err)
	}
	return a.given(ctx, log, p, sent, Answered)
}

// lookAfter is how long a question that was read is assumed to exist while heddle is
// connected and would hear of its deletion.
const lookAfter = 5 * time.Second

// watching returns the context in which a job's answer is sent, and a function with which
// an outbox asks whether the question was deleted. If it was, the context ends as it does
// after the event. It asks Discord only if the event may have been missed or may be late,
// as a connection can end without a sign.
func (a *Answers) watching(ctx context.Context, job Job, read time.Time) (context.Context, func(context.Context) bool) {
	watched, drop := context.WithCancelCause(ctx)
	return watched, func(ctx context.Context) bool {
		if !job.Retried && work.Heard(watched) && time.Since(read) < lookAfter {
			return false
		}
		gone := a.outbox.IsGone(ctx, job.Channel, job.ID)
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
func (a *Answers) takeBack(ctx context.Context, log *slog.Logger, out *outbox.Answer) (Outcome, error) {
	ending, cancel := work.Ending(work.Outliving(ctx), a.flush)
	defer cancel()
	if err := out.Discard(ending); err != nil {
		return unsent(ctx, log, err)
	}
	return Dropped, nil
}

// remove deletes the messages of an answer whose question was deleted.
func (a *Answers) remove(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (Outcome, error) {
	ending, cancel := work.Ending(work.Outliving(ctx), a.flush)
	defer cancel()
	switch err := a.outbox.RemoveAll(ending, channel, parts); {
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

// TakeBack deletes messages of the answer to a question that was deleted. Its outcome is
// Gone.
func (a *Answers) TakeBack(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (Outcome, error) {
	if _, err := a.remove(ctx, log, channel, parts); err != nil {
		return "", err
	}
	return Gone, nil
}

// given returns the outcome of an answer that was sent and recorded. If the connection to
// Discord was interrupted meanwhile, given asks whether the question still exists. The
// check that follows an interruption covers only what was recorded before it.
func (a *Answers) given(ctx context.Context, log *slog.Logger, p *Prepared, sent []outbox.Sent, outcome Outcome) (Outcome, error) {
	switch {
	case work.IsQuestionGone(ctx):
		return a.remove(ctx, log, p.Channel, p.standing(sent))
	case p.Spoken == nil && !work.Heard(ctx) && a.outbox.IsGone(ctx, p.Channel, p.ID):
		return a.TakeBack(ctx, log, p.Channel, p.standing(sent))
	}
	return outcome, nil
}

// isGone reports whether work under ctx ended, or failed, because the question was
// deleted.
func isGone(ctx context.Context, failure error) bool {
	return errors.Is(failure, work.ErrQuestionGone) || work.IsQuestionGone(ctx)
}
