package answer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/llm"
)

// Fail ends a job whose conversation could not be read, and tells people why there is no
// answer. It drops the job if the question was deleted. If the job is for another answer,
// the one that stands is kept.
func (a *Answers) Fail(ctx context.Context, log *slog.Logger, job Job, failure error) (Outcome, error) {
	if isGone(ctx, failure) {
		job.Target.Tell(ctx, phrases.Phrase{ID: "question_gone"})
		return a.remove(ctx, log, job.Channel, job.Begun)
	}
	p := &Prepared{Job: job, Prepared: conversation.Unread(job.Question), started: time.Now()}
	switch cause := context.Cause(ctx); {
	case errors.Is(failure, conversation.ErrOptedOut) && job.Asker != 0:
		return a.decline(ctx, log, p, phrases.Phrase{ID: "question_not_read"})
	case errors.Is(failure, conversation.ErrOptedOut):
		return a.decline(ctx, log, p, phrases.Phrase{ID: "not_read"})
	case errors.Is(failure, conversation.ErrPaused):
		return a.decline(ctx, log, p, phrases.Phrase{ID: "paused"})
	case job.isContinued(cause):
		return "", cause
	}
	log.ErrorContext(ctx, "the conversation could not be read, people are told", "error", failure)
	if len(job.Where.Over) > 0 {
		return a.keep(ctx, log, p, nil, Sentence(failure).OrAsk(a.contact), Failed)
	}
	ctx = a.watch(ctx, p)
	response := a.recorder.response(p, llm.Answer{FinishReason: finishFailed})
	return a.deliver(ctx, log, p, delivery{
		out: a.deps.Replies.Begin(ctx, p.to()), text: p.language().Say(Sentence(failure).OrAsk(a.contact)), response: &response, outcome: Failed,
	})
}

// decline ends a job whose question is not to be answered. It replies why or, if the job
// is for another answer, tells the person who asked for that. It records nothing.
func (a *Answers) decline(ctx context.Context, log *slog.Logger, p *Prepared, why phrases.Phrase) (Outcome, error) {
	if len(p.Where.Over) > 0 {
		return a.keep(ctx, log, p, nil, why, Dropped)
	}
	ending, cancel := Ending(ctx, a.deps.Flush)
	defer cancel()
	if _, err := a.deps.Replies.Reply(ending, p.to(), p.language().Say(why)); err != nil {
		return unsent(ctx, log, err)
	}
	return Dropped, nil
}

// keep ends a job without an answer, and keeps the answer that it was meant to replace. It
// tells why to the person who waits. If out, which may be nil, or an earlier attempt has begun
// to replace that answer, it is shown again.
func (a *Answers) keep(ctx context.Context, log *slog.Logger, p *Prepared, out *reply.Growing, why phrases.Phrase, outcome Outcome) (Outcome, error) {
	ending, cancel := Ending(ctx, a.deps.Flush)
	defer cancel()
	if err := restore(ending, log, p, out); err != nil {
		return unsent(ctx, log, err)
	}
	p.Target.Tell(ending, why)
	return outcome, nil
}

// failSilently ends a question without a message. The answer that stands is kept. If there is
// none, the asker has just been told of the limit that the question exceeds. failSilently
// records the question, so that an edit of it is answered once the limit has ended.
func (a *Answers) failSilently(
	ctx context.Context, log *slog.Logger, p *Prepared, out *reply.Growing, answer llm.Answer, failure error,
) (Outcome, error) {
	ctx, cancel := Ending(ctx, a.deps.Flush)
	defer cancel()
	if len(p.Where.Over) > 0 {
		outcome, err := a.keep(ctx, log, p, out, Sentence(failure).OrAsk(a.contact), Failed)
		if err == nil {
			a.tellOver(ctx, log, p, failure)
		}
		return outcome, err
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
	if _, ok := errors.AsType[*limits.ExceededError](failure); !ok || p.Asker != 0 || a.notified.isSilent(p, failure) {
		return // only the person who pressed the button was told
	}
	to := reply.To{Channel: p.Channel, Trigger: p.ID, Generation: p.Generation}
	sent, err := a.deps.Replies.Reply(ctx, to, p.language().Say(Sentence(failure).OrAsk(a.contact)))
	a.recorder.recordSent(p.Job, sent)
	if err != nil {
		log.WarnContext(ctx, "somebody could not be told that their edit exceeds a limit", "error", err)
	}
}

// restore withdraws an answer; nil if none was begun. If its messages showed a part of it, or of
// an earlier attempt at it, they show again what it was meant to replace.
func restore(ctx context.Context, log *slog.Logger, p *Prepared, out *reply.Growing) error {
	begun := len(p.Begun) > 0
	if out != nil {
		overwrote, err := out.Withdraw(ctx)
		if err != nil {
			return err
		}
		begun = begun || overwrote
	}
	if !begun {
		return nil
	}
	return p.Target.Restore(ctx, log)
}

// unsent ends a job whose answer Discord did not accept. The error is ErrLost if
// another process may answer now, ErrEdited if the question was edited, and
// ErrUnsent if Discord may accept the answer later.
func unsent(ctx context.Context, log *slog.Logger, err error) (Outcome, error) {
	switch {
	case IsLost(ctx), errors.Is(err, discord.ErrFenced):
		return "", ErrLost
	case errors.Is(context.Cause(ctx), ErrEdited):
		return "", ErrEdited
	case reply.MaySucceedLater(err):
		return "", fmt.Errorf("%w: %w", ErrUnsent, err)
	case errors.Is(err, reply.ErrQuestionGone):
		log.InfoContext(ctx, "a question was deleted before anything was said to it")
		return Dropped, nil
	case errors.Is(err, reply.ErrPartDeleted):
		log.InfoContext(ctx, "a message of an answer was deleted while it was sent, what stands is looked at again later", "error", err)
		return Torn, nil
	case errors.Is(err, reply.ErrNoPermission):
		log.InfoContext(ctx, "heddle may not write where it was asked, its answer is dropped", "error", err)
		return Denied, nil
	default:
		log.WarnContext(ctx, "an answer could not be sent and is dropped", "error", err)
		return Dropped, nil
	}
}

// whole returns the messages that an answer is recorded with: none if a part of it is
// missing or has yet to be sent.
func whole(sent []reply.Sent, err error) []reply.Sent {
	if err != nil && (errors.Is(err, discord.ErrFenced) || errors.Is(err, reply.ErrPartDeleted) || reply.MaySucceedLater(err)) {
		return nil
	}
	return sent
}

// isContinued reports whether another attempt continues a job that ended for a cause. It does
// if the question was edited. If heddle stops or the claim was lost, another process does,
// provided that the store keeps the question.
func (j *Job) isContinued(cause error) bool {
	kept := j.Record != nil
	return errors.Is(cause, ErrEdited) || kept && (errors.Is(cause, ErrShutdown) || errors.Is(cause, ErrLost))
}

// leave ends an answer that another attempt continues, and returns the cause for which it
// ended. If heddle stops, what stands says that the answer will continue. If the store does not
// keep the question, the next attempt looks for no half answer, so leave restores the answer
// that stood before.
func (a *Answers) leave(ctx context.Context, log *slog.Logger, p *Prepared, out *reply.Growing, cause error) (Outcome, error) {
	ending, cancel := Ending(ctx, a.deps.Flush)
	defer cancel()
	line := ""
	if errors.Is(cause, ErrShutdown) {
		line = p.language().Text("doing_restart", nil)
	}
	leave := func() error { return out.Leave(ending, line) }
	if p.Record == nil {
		leave = func() error { return restore(ending, log, p, out) }
	}
	if err := leave(); err != nil {
		log.InfoContext(ctx, "what stands of an answer that goes on later could not be changed", "error", err)
	}
	return "", cause
}

// tellNoFiles tells people that Discord refused the files of an answer, and returns all
// messages of the answer.
func (a *Answers) tellNoFiles(ctx context.Context, log *slog.Logger, p *Prepared, sent []reply.Sent, refusal error) ([]reply.Sent, error) {
	log.WarnContext(ctx, "the files of an answer could not be sent, people are told", "error", refusal)
	to := p.to()
	if len(sent) > 0 {
		to = reply.To{Channel: p.Channel, Trigger: sent[len(sent)-1].ID}
	}
	told, err := a.deps.Replies.Reply(ctx, to, p.language().Say(fileRefused(refusal)))
	return append(sent, told...), err
}

// fileRefused returns the phrase about files that Discord refused.
func fileRefused(refusal error) phrases.Phrase {
	e, answered := errors.AsType[*discord.Error](refusal)
	switch {
	case errors.Is(refusal, reply.ErrNoPermission), discord.IsForbidden(refusal):
		return phrases.Phrase{ID: "file_forbidden"}
	case discord.HasCode(refusal, discord.CodeTooLarge), answered && e.Status == http.StatusRequestEntityTooLarge:
		return phrases.Phrase{ID: "file_too_large"}
	case answered:
		return phrases.Refusal(e.Status)
	default:
		return phrases.Phrase{ID: "discord_trouble"}
	}
}

// lookAfter is how long a question that was read is assumed to exist while heddle is
// connected and would hear of its deletion.
const lookAfter = 5 * time.Second

// watch returns the context in which an answer is sent. It ends if the question turns out to be
// deleted before something is sent. Discord is asked only if the event of the deletion may have
// been missed or may be late, as a connection can end without a sign.
func (a *Answers) watch(ctx context.Context, p *Prepared) context.Context {
	watched, drop := context.WithCancelCause(ctx)
	p.ready = func(ctx context.Context) error {
		if p.Record != nil {
			p.Record.Stored(ctx)
		}
		if !p.Retried && Heard(watched) && time.Since(p.started) < lookAfter || !a.deps.Replies.IsGone(ctx, p.Channel, p.ID) {
			return nil
		}
		drop(conversation.ErrQuestionGone)
		return reply.ErrQuestionGone
	}
	return watched
}

// discard ends an answer whose question was deleted, and deletes its messages.
func (a *Answers) discard(ctx context.Context, log *slog.Logger, out *reply.Growing) (Outcome, error) {
	ending, cancel := Ending(outliving(ctx), a.deps.Flush)
	defer cancel()
	if err := out.Discard(ending); err != nil {
		return unsent(ctx, log, err)
	}
	return Dropped, nil
}

// remove deletes the messages of an answer whose question was deleted.
func (a *Answers) remove(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (Outcome, error) {
	ending, cancel := Ending(outliving(ctx), a.deps.Flush)
	defer cancel()
	if err := a.deps.Replies.RemoveAll(ending, channel, parts); err != nil {
		return unsent(ctx, log, err)
	}
	return Dropped, nil
}

// TakeBack deletes messages of the answer to a question that was deleted. Its outcome is
// Gone.
func (a *Answers) TakeBack(ctx context.Context, log *slog.Logger, channel graph.ChannelID, parts []graph.MessageID) (Outcome, error) {
	if _, err := a.remove(ctx, log, channel, parts); err != nil {
		return "", err
	}
	return Gone, nil
}

// unlessGone returns the outcome of an answer that was sent and recorded. If the connection to
// Discord was interrupted meanwhile, unlessGone asks whether the question still exists. The
// check that follows an interruption covers only what was recorded before it.
func (a *Answers) unlessGone(ctx context.Context, log *slog.Logger, p *Prepared, sent []reply.Sent, outcome Outcome) (Outcome, error) {
	switch {
	case IsQuestionGone(ctx):
		return a.remove(ctx, log, p.Channel, p.standing(sent))
	case !Heard(ctx) && a.deps.Replies.IsGone(ctx, p.Channel, p.ID):
		return a.TakeBack(ctx, log, p.Channel, p.standing(sent))
	}
	return outcome, nil
}

// isGone reports whether work under ctx ended, or failed, because the question was
// deleted.
func isGone(ctx context.Context, failure error) bool {
	return errors.Is(failure, conversation.ErrQuestionGone) || errors.Is(failure, reply.ErrQuestionGone) || IsQuestionGone(ctx)
}
