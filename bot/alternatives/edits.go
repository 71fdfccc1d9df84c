package alternatives

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"heddle/bot/answer"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// ErrUnanswered means that an edited question has no answer that is known.
var ErrUnanswered = errors.New("the question has no answer that is known")

// EditPolicy is what happens when a question is edited that was answered.
type EditPolicy uint8

// The policies.
const (
	EditsIgnored  EditPolicy = iota // nothing
	EditsOffered                    // its answer offers another one
	EditsAnswered                   // it is answered anew
)

// Edits handles edits of questions that were answered. Its methods may be called from
// any goroutine.
type Edits struct {
	answers  *answer.Answers
	displays *displays
	jobs     jobs
	wording  *wording
	inflight *work.Inflight
	explain  func(error) phrases.Phrase
	settings Settings
	flush    time.Duration
	log      *slog.Logger
}

// Handling handles one edit of a question. It fails with ErrUnanswered if the question
// has no answer: one that is still to be given will answer the newest version anyway.
type Handling func(ctx context.Context, log *slog.Logger, q answer.Question) (answer.Outcome, error)

// handling is a Handling that is given the answer that stands.
type handling func(ctx context.Context, log *slog.Logger, q answer.Question, current *store.Response) (answer.Outcome, error)

// Handling returns how to handle an edit of a question that was asked ago before the
// edit. It returns nil if such an edit is ignored.
func (e *Edits) Handling(ago time.Duration) Handling {
	handle := e.handling(ago)
	if handle == nil {
		return nil
	}
	return func(ctx context.Context, log *slog.Logger, q answer.Question) (answer.Outcome, error) {
		ctx, end := e.inflight.Begin(ctx, q.ID)
		defer end()
		responses, err := e.displays.responses.ByTrigger(ctx, q.Place.Scope, q.ID)
		if err != nil || len(responses) == 0 {
			return "", errors.Join(ErrUnanswered, err)
		}
		current := newestAnswer(responses)
		return handle(ctx, log, q, &current)
	}
}

// Matter reports whether an edit of a question that was asked ago before it has a
// consequence for an answer that nothing is known of. It has one if the question would get
// another answer, or be offered one.
func (e *Edits) Matter(ago time.Duration) bool {
	return e.settings.Edits != EditsIgnored && ago <= e.settings.EditWindow
}

func (e *Edits) handling(ago time.Duration) handling {
	soon := ago <= e.settings.EditWindow
	switch {
	case e.settings.Edits == EditsAnswered && soon:
		return e.answer
	case e.settings.Edits == EditsOffered && soon:
		return e.offerOrAnswer
	case e.settings.Edits == EditsOffered:
		return e.reviewOffer
	default:
		return nil
	}
}

// answer answers a question as it was edited, in place of the answer that it has.
func (e *Edits) answer(ctx context.Context, log *slog.Logger, q answer.Question, current *store.Response) (answer.Outcome, error) {
	over, release, err := e.takeOver(ctx, log, q, current)
	if err != nil {
		return "", err
	}
	defer release()
	return e.answerInPlace(ctx, log, e.jobs.edit(q, current.Generation+1, over, 0, nobody), current)
}

// takeOver locks the current answer and returns its messages, which the next answer
// replaces. It returns none if the current answer was never sent.
func (e *Edits) takeOver(ctx context.Context, log *slog.Logger, q answer.Question, current *store.Response) (over []graph.MessageID, release func(), err error) {
	if len(current.Replies) == 0 {
		return nil, func() {}, nil
	}
	head := current.Replies[0].ID
	release, err = e.displays.locks.lock(ctx, log, q.Channel, head)
	if err != nil {
		return nil, nil, err
	}
	if over, err = e.displays.parts(ctx, current, head); err != nil {
		release()
		return nil, nil, err
	}
	return over, release, nil
}

// answerInPlace answers an edited question in the messages of its answer. It drops the
// job if the question was deleted, or if the current answer was given to the question as
// it reads now.
func (e *Edits) answerInPlace(ctx context.Context, log *slog.Logger, job answer.Job, current *store.Response) (answer.Outcome, error) {
	p, err := e.answers.Prepare(ctx, job)
	switch {
	case errors.Is(err, work.ErrQuestionGone):
		job.Target.Tell(ctx, phrases.Phrase{ID: phrases.QuestionGone})
		return answer.Dropped, nil
	case err != nil:
		job.Target.Tell(ctx, e.explain(err))
		return "", fmt.Errorf("read an edited question: %w", err)
	case p.Hash() == current.PathHash && len(job.Begun) > 0: // an attempt at another version broke off
		if err := job.Target.Restore(ctx, log); err != nil {
			return "", fmt.Errorf("%w: %w", work.ErrUnsent, err)
		}
		return answer.Dropped, nil
	case p.Hash() == current.PathHash:
		return answer.Dropped, nil
	}
	return e.answers.Give(ctx, log, p)
}
