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
	kept := madeFrom(p, responses[i])
	return &kept
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
		return a.deleted.remove(ctx, log, p.Channel, p.standing(sent))
	}
	a.recorder.record(ending, log, p.Job, kept, whole(sent, err))
	if err != nil {
		return unsent(ctx, log, err)
	}
	return a.deleted.settle(ctx, log, p, sent, Answered)
}
