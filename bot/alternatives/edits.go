package alternatives

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// ErrUnrecorded means that nothing is recorded of an answer, or that it cannot be read.
var ErrUnrecorded = errors.New("the answer is not recorded")

// AnswerEdit answers a question as it was edited, in place of its newest answer. If that was
// never sent, the answer is a new reply.
func (a *Alternatives) AnswerEdit(ctx context.Context, log *slog.Logger, job answer.Job, newest *store.Response) (answer.Outcome, error) {
	ctx, end := a.deps.Inflight.Begin(ctx, job.ID)
	defer end()
	var over []graph.MessageID
	if len(newest.Replies) > 0 {
		head := newest.Replies[0].ID
		release, err := a.lock(ctx, log, head)
		if err != nil {
			return "", err
		}
		defer release()
		if over, err = a.parts(ctx, newest, head); err != nil {
			return "", err
		}
	}
	job = a.aim(job, reply.To{Trigger: job.ID, Over: over}, nil)
	job.Generation = newest.Generation + 1
	return a.answerInPlace(ctx, log, job, newest)
}

// Interrupt ends the answer that this process is giving to a question, as the question was
// edited: it is answered anew.
func (a *Alternatives) Interrupt(question graph.MessageID) { a.deps.Inflight.Edited(question) }

// answerInPlace answers an edited question in the messages of its answer. It drops the
// job if the current answer was given to the question as it reads now.
func (a *Alternatives) answerInPlace(ctx context.Context, log *slog.Logger, job answer.Job, current *store.Response) (answer.Outcome, error) {
	p, err := a.deps.Answers.Prepare(ctx, job)
	switch {
	case err != nil:
		return a.deps.Answers.Fail(ctx, log, job, err)
	case p.Hash != current.PathHash:
		return a.deps.Answers.Give(ctx, log, p)
	case len(job.Begun) > 0: // an attempt at another version broke off
		if err := job.Target.Restore(ctx, log); err != nil {
			return "", fmt.Errorf("%w: %w", answer.ErrUnsent, err)
		}
	}
	return answer.Dropped, nil
}

// Mend makes the messages of an answer show what heddle sent, and deletes those that do
// not belong to it. It is needed because another process may have written to the same
// messages. said are those that reply to the question, and to each other, oldest first. What
// should stand is what the store has recorded. Mend reports whether something had to be
// changed. It fails with ErrUnrecorded if nothing is.
func (a *Alternatives) Mend(ctx context.Context, log *slog.Logger, q conversation.Question, said []discord.Message) (mended bool, err error) {
	release, err := a.lock(ctx, log, said[0].ID)
	if err != nil {
		return false, err
	}
	defer release()
	d, err := a.read(ctx, q.Place.Scope, q.Channel, said[0].ID)
	if errors.Is(err, reply.ErrAnswersGone) || errors.Is(err, store.ErrUnavailable) {
		return false, ErrUnrecorded
	}
	if err != nil {
		return false, err
	}
	recorded := d.current().Replies
	if !slices.Equal(d.parts, d.current().Parts()) || // somebody has changed since what the messages show
		slices.EqualFunc(said, recorded, func(m discord.Message, r store.Reply) bool { return m.ID == r.ID && reply.Shows(&m, r.Text) }) {
		return false, nil
	}
	for i := range slices.Backward(said) {
		if slices.Contains(d.parts, said[i].ID) {
			continue
		}
		if err := a.deps.Replies.Remove(ctx, q.Channel, said[i].ID); err != nil {
			return false, fmt.Errorf("put an answer right: %w", err)
		}
	}
	return true, a.show(ctx, log, d, d.shown, reply.Withdrawal(d.parts[0]))
}
