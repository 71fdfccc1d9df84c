package answer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/internal/telemetry"
	"heddle/llm"
)

// Fail ends a job whose conversation could not be read, and tells people why there is no
// answer. It drops the job if the question was deleted. If the job is for another answer,
// the one that stands is kept.
func (a *Answers) Fail(ctx context.Context, log *slog.Logger, job Job, failure error) (Outcome, error) {
	if isGone(ctx, failure) {
		job.Target.Tell(ctx, phrases.Phrase{ID: phrases.QuestionGone})
		return a.deleted.remove(ctx, log, job.Channel, job.Begun)
	}
	if errors.Is(failure, work.ErrOptedOut) {
		said := phrases.NotRead
		if job.Asker != 0 {
			said = phrases.QuestionNotRead
		}
		return a.decline(ctx, log, job, said, phrases.QuestionNotRead)
	}
	if errors.Is(failure, work.ErrPaused) {
		return a.decline(ctx, log, job, phrases.Paused, phrases.Paused)
	}
	log.ErrorContext(ctx, "the conversation could not be read, people are told", "error", failure)
	p := &Prepared{Job: job, Prepared: conversation.Unread(job.Question.Question)}
	ctx, p.gone = a.deleted.watch(ctx, job, time.Now())
	ending, cancel := work.Ending(ctx, a.flush)
	defer cancel()
	if len(job.over()) > 0 {
		job.Target.Tell(ending, a.explain(failure))
		return Failed, nil
	}
	sent, err := a.outbox.Reply(ending, p.to(), job.language().Say(a.explain(failure)))
	if work.IsQuestionGone(ctx) {
		return a.deleted.remove(ctx, log, job.Channel, job.standing(sent))
	}
	response := a.recorder.response(p, llm.Answer{FinishReason: finishFailed})
	a.recorder.record(ending, log, job, &response, whole(sent, err))
	if err != nil {
		return unsent(ctx, log, err)
	}
	return a.deleted.settle(ctx, log, p, sent, Failed)
}

// decline ends a job whose question is not to be answered. It replies with said or, if
// the job is for another answer, tells told to the person who asked for that. It
// records nothing.
func (a *Answers) decline(ctx context.Context, log *slog.Logger, job Job, said, told phrases.ID) (Outcome, error) {
	ending, cancel := work.Ending(ctx, a.flush)
	defer cancel()
	if len(job.over()) > 0 {
		job.Target.Tell(ending, phrases.Phrase{ID: told})
		return Dropped, nil
	}
	if _, err := a.outbox.Reply(ending, job.to(), job.language().Text(said, nil)); err != nil {
		return unsent(ctx, log, err)
	}
	return Dropped, nil
}

// isSilent reports whether an answer failed because of a limit that the asker has just
// been told of.
func (a *Answers) isSilent(p *Prepared, failure error) bool {
	exceeded, ok := errors.AsType[*limits.ExceededError](failure)
	return ok && !a.notified.ofLimit(p.Person(), p.Channel, exceeded, time.Now())
}

// countTurned counts a question that was refused because of a limit, or because the
// model is away.
func countTurned(ctx context.Context, failure error) {
	if kind := llm.KindOf(failure); kind == llm.Limited || kind == llm.Away {
		telemetry.Count(ctx, telemetry.Turned)
	}
}

// passOver ends a question without a message. The answer that stands is kept. If there is
// none, the asker has just been told of the limit that the question exceeds. passOver
// records the question, so that an edit of it is answered once the limit has ended.
func (a *Answers) passOver(
	ctx context.Context, log *slog.Logger, p *Prepared, out *outbox.Answer, answer llm.Answer, failure error,
) (Outcome, error) {
	if len(p.over()) > 0 {
		return a.withdraw(ctx, log, p, out, failure)
	}
	if err := out.Discard(ctx); err != nil {
		return unsent(ctx, log, err)
	}
	response := a.recorder.response(p, answer)
	a.recorder.record(ctx, log, p.Job, &response, nil)
	return Failed, nil
}

// tellOver tells the author of an edited question that its answer stays as it is
// because of a limit.
func (a *Answers) tellOver(ctx context.Context, log *slog.Logger, p *Prepared, failure error) {
	if _, ok := errors.AsType[*limits.ExceededError](failure); !ok || p.Asker != 0 || a.isSilent(p, failure) {
		return // only the person who pressed the button was told
	}
	to := outbox.To{Channel: p.Channel, Trigger: p.ID, Generation: p.Generation}
	sent, err := a.outbox.Reply(ctx, to, p.language().Say(a.explain(failure)))
	a.recorder.recordSent(p.Job, sent)
	if err != nil {
		log.WarnContext(ctx, "somebody could not be told that their edit exceeds a limit", "error", err)
	}
}

// withdraw keeps the existing answer if the model failed to replace it. If its
// replacement had begun, withdraw shows the old answer again.
func (a *Answers) withdraw(ctx context.Context, log *slog.Logger, p *Prepared, out *outbox.Answer, failure error) (Outcome, error) {
	p.Target.Tell(ctx, a.explain(failure))
	a.tellOver(ctx, log, p, failure)
	begun, err := out.Withdraw(ctx)
	if err == nil && begun {
		err = p.Target.Restore(ctx, log)
	}
	if err != nil {
		log.WarnContext(ctx, "the answer that stood could not be shown again", "error", err)
	}
	return Failed, nil
}
