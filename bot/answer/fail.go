package answer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/llm"
	"heddle/store"
)

// endingTimeout bounds the attempts to send the end of an answer.
const endingTimeout = 30 * time.Second

// ending returns a context for finishing work under ctx. It goes on for a moment after ctx
// has ended, for example because of a shutdown. It ends at once if ctx ends because its
// claim was lost, and after 30 seconds in any case.
func (a *Answerer) ending(ctx context.Context) (context.Context, context.CancelFunc) {
	if isLost(ctx) {
		return context.WithCancel(ctx)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endingTimeout)
	stop := context.AfterFunc(ctx, func() {
		if isLost(ctx) || wait.For(ending, a.deps.Flush) == nil {
			cancel()
		}
	})
	return ending, func() { stop(); cancel() }
}

// isLost reports whether work under ctx has ended because another process may have taken it over.
func isLost(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrLost) }

// isGone reports whether work under ctx ended, or failed, because the question was deleted.
func isGone(ctx context.Context, failure error) bool {
	return errors.Is(failure, conversation.ErrQuestionGone) || errors.Is(failure, reply.ErrQuestionGone) ||
		errors.Is(context.Cause(ctx), conversation.ErrQuestionGone)
}

// interrupted ends an attempt that was interrupted, or failed because it was: out is the answer that
// was begun, nil for none. It reports false if the attempt may go on.
//
//	why                            what stands                 ended
//	the question was deleted       is deleted                  dropped
//	the question was edited        stays for the next attempt  ErrChanged
//	heddle stops, the claim lost   stays for the next process  that error
//
// Nobody continues an answer after ↻. What stood before comes back after an edit, and the other
// causes are failures like any.
func (a *attempt) interrupted(ctx context.Context, out *reply.Growing, failure error) (ended Ended, over bool, err error) {
	cause := context.Cause(ctx)
	switch {
	case isGone(ctx, failure):
		a.out.Tell = phrases.Phrase{ID: "question_gone"}
		ended, err = a.discard(ctx, out, failure)
		return ended, true, err
	case failure != nil && (errors.Is(cause, ErrChanged) || a.q.Cause != Pressed && (errors.Is(cause, ErrShutdown) || errors.Is(cause, ErrLost))):
		if out == nil {
			return "", true, cause
		}
	default:
		return "", false, nil
	}
	ending, cancel := a.ending(ctx)
	defer cancel()
	switch {
	case a.q.Cause == Pressed:
		err = a.comeBack(ending, out)
	case errors.Is(cause, ErrShutdown): // people read that it goes on
		err = out.Leave(ending, a.language().Text("doing_restart", nil))
	default:
		err = out.Leave(ending, "")
	}
	if err != nil {
		a.log.InfoContext(ctx, "what stands of an answer that goes on later could not be changed", "error", err)
	}
	return "", true, cause
}

// without ends an attempt that came to no answer; out is the answer that was begun, nil for none. It
// reports false if why is to be told in place of an answer.
//
//	why                           what stands                 said to          ended
//	the asker opted out, a pause  the old answer comes back   who asked for    dropped
//	                                                          another one
//	                              nothing                     all, in a reply  dropped
//	a failure                     the old answer comes back   likewise         failed
//	a limit that they know of     nothing                     nobody           failed
func (a *attempt) without(ctx context.Context, out *reply.Growing, why error) (ended Ended, over bool, err error) {
	switch {
	case errors.Is(why, conversation.ErrOptedOut), errors.Is(why, conversation.ErrPaused):
		ended, err = a.decline(ctx, out, why)
		return ended, true, err
	case len(a.next.over) > 0:
		if ended, err = a.restore(ctx, out, Failed); err == nil {
			a.out.Tell = a.settings.sentence(why)
			if a.q.Cause != Pressed && !a.isSilent(why) {
				a.tellOver(ctx)
			}
		}
		return ended, true, err
	case out != nil && a.isSilent(why):
	default:
		return "", false, nil
	}
	ending, cancel := a.ending(ctx)
	defer cancel()
	if err := out.Discard(ending); err != nil {
		ended, err = a.unsent(ctx, err)
		return ended, true, err
	}
	response := a.response(llm.Answer{FinishReason: finishFailed}) // it lets an edit be answered once the limit has ended
	if err := a.save(ending, &response, a.deps.Store.Responses.Save); err != nil {
		a.log.Log(ctx, store.LogLevel(err), "a question that exceeds a limit could not be recorded, an edit of it is ignored", "error", err)
	}
	return Failed, true, nil
}

// unprepared ends an attempt whose conversation could not be read. refused is an answer that
// was sent and must not stand; nil if there is none.
func (a *attempt) unprepared(ctx context.Context, failure error, refused *made) (Ended, error) {
	a.Prepared = conversation.Unread(a.q.Question)
	if refused != nil && errors.Is(failure, conversation.ErrOptedOut) {
		return a.remove(ctx, a.next.begun, Dropped)
	}
	if ended, over, err := a.interrupted(ctx, nil, failure); over {
		return ended, err
	}
	if !errors.Is(failure, conversation.ErrOptedOut) && !errors.Is(failure, conversation.ErrPaused) {
		a.log.ErrorContext(ctx, "the conversation could not be read, people are told", "error", failure)
	}
	if ended, over, err := a.without(ctx, nil, failure); over {
		return ended, err
	}
	out := a.deps.Replies.Begin(ctx, a.to())
	m := &made{response: a.response(llm.Answer{FinishReason: finishFailed}), notice: a.language().Say(a.settings.sentence(failure)), ended: Failed}
	m.response.Notice = m.notice
	sent, err := a.finish(ctx, out, m)
	switch {
	case isGone(ctx, err):
		return a.discard(ctx, out, err)
	case err != nil:
		return a.unsent(ctx, err)
	}
	return a.unlessGone(ctx, sent, m.ended)
}

// decline ends an attempt at a question that is not to be answered. It replies why or, if another
// answer stands, has the person told who asked for this one. It records nothing.
func (a *attempt) decline(ctx context.Context, out *reply.Growing, why error) (Ended, error) {
	said := phrases.Phrase{ID: "not_read"}
	switch {
	case errors.Is(why, conversation.ErrPaused):
		said.ID = "paused"
	case a.q.Asker != 0:
		said.ID = "question_not_read"
	}
	if len(a.next.over) > 0 {
		ended, err := a.restore(ctx, out, Dropped)
		if a.out.Tell = said; err == nil && a.q.Cause != Pressed {
			a.tellOver(ctx)
		}
		return ended, err
	}
	ending, cancel := a.ending(ctx)
	defer cancel()
	if _, err := a.deps.Replies.Reply(ending, a.to(), a.language().Say(said)); err != nil {
		return a.unsent(ctx, err)
	}
	return Dropped, nil
}

// restore ends an attempt, and shows the answer again that it was meant to replace.
func (a *attempt) restore(ctx context.Context, out *reply.Growing, ended Ended) (Ended, error) {
	ending, cancel := a.ending(ctx)
	defer cancel()
	if err := a.comeBack(ending, out); err != nil {
		return a.unsent(ctx, err)
	}
	return ended, nil
}

// comeBack withdraws an answer; nil if none was begun. If its messages showed a part of it, or of
// an earlier attempt, they show again what it was meant to replace.
func (a *attempt) comeBack(ctx context.Context, out *reply.Growing) error {
	begun := len(a.next.begun) > 0
	if out != nil {
		overwrote, err := out.Withdraw(ctx)
		if err != nil {
			return err
		}
		begun = begun || overwrote
	}
	if !begun || len(a.next.over) == 0 {
		return nil
	}
	d, err := a.Display(ctx, a.q.at(a.next.over[0]))
	if err != nil {
		return err
	}
	return a.show(ctx, d, d.Shown, reply.Withdrawal(a.next.over[0]))
}

// tellOver tells the author of an edited question why its answer stays, in a reply that the next
// edit replaces (finding 4.13).
func (a *attempt) tellOver(ctx context.Context) {
	said := phrases.Lines(a.language().Say(a.out.Tell), a.language().Text("notice_before_edit", nil))
	a.own(a.q.tell(ctx, a.Answerer, a.out.Version, said))
}

// TellUnanswered tells the author of an edited question that the edit is not answered, after the
// last attempt has failed.
func (a *Answerer) TellUnanswered(ctx context.Context, q *Question, failure error) {
	q.tell(ctx, a, q.Version, phrases.In(q.Place.Locale).Say(a.settings.sentence(failure)))
}

// tell replies to a version of the question, once.
func (q *Question) tell(ctx context.Context, a *Answerer, version time.Time, text string) []reply.Sent {
	ending, cancel := a.ending(ctx)
	defer cancel()
	sent, err := a.deps.Replies.Reply(ending, reply.To{Channel: q.Channel, Trigger: q.ID, Generation: int(version.Unix())}, text)
	if err != nil {
		q.log(a.deps.Log).WarnContext(ctx, "somebody could not be told that their edit is not answered", "error", err)
	}
	return sent
}

// unsent ends an attempt whose answer Discord did not accept. The error is ErrLost if another
// process may answer now, ErrChanged if the question was edited, and ErrUnsent if Discord may
// accept the answer later.
func (a *attempt) unsent(ctx context.Context, err error) (Ended, error) {
	switch {
	case isLost(ctx), errors.Is(err, discord.ErrFenced):
		return "", ErrLost
	case errors.Is(context.Cause(ctx), ErrChanged):
		return "", ErrChanged
	case reply.MaySucceedLater(err):
		return "", unsentOf(err)
	case errors.Is(err, reply.ErrQuestionGone):
		a.log.InfoContext(ctx, "a question was deleted before anything was said to it")
		return Dropped, nil
	case errors.Is(err, reply.ErrPartDeleted):
		a.log.InfoContext(ctx, "a message of an answer was deleted while it was sent, what stands is looked at again later", "error", err)
		a.out.Doubt = true
		return Torn, nil
	case errors.Is(err, reply.ErrNoPermission):
		a.log.InfoContext(ctx, "heddle may not write where it was asked, its answer is dropped", "error", err)
		return Denied, nil
	default:
		a.log.WarnContext(ctx, "an answer could not be sent and is dropped", "error", err)
		return Dropped, nil
	}
}

// unsentOf returns an error after which an attempt is made again if Discord may answer then.
func unsentOf(err error) error {
	if reply.MaySucceedLater(err) {
		return fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	return err
}

// whole returns the messages that an answer is recorded with: none if a part of it is
// missing or has yet to be sent.
func whole(sent []reply.Sent, err error) []reply.Sent {
	if err != nil && (errors.Is(err, discord.ErrFenced) || errors.Is(err, reply.ErrPartDeleted) || reply.MaySucceedLater(err)) {
		return nil
	}
	return sent
}

// tellNoFiles tells people that Discord refused the files of an answer, and returns all
// messages of the answer.
func (a *prepared) tellNoFiles(ctx context.Context, to reply.To, sent []reply.Sent, refusal error) ([]reply.Sent, error) {
	a.log.WarnContext(ctx, "the files of an answer could not be sent, people are told", "error", refusal)
	if len(sent) > 0 {
		to = reply.To{Channel: a.q.Channel, Trigger: sent[len(sent)-1].ID}
	}
	told, err := a.deps.Replies.Reply(ctx, to, a.language().Say(fileRefused(refusal)))
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

// discard ends an attempt at a question that was deleted, and deletes what stands of its answer;
// out is nil if none was begun. It goes on after the deletion has ended ctx. If Discord alone told
// of the deletion, the question has yet to be erased.
func (a *attempt) discard(ctx context.Context, out *reply.Growing, told error) (Ended, error) {
	ended := Dropped
	if errors.Is(told, reply.ErrQuestionGone) {
		ended = Gone
	}
	if out == nil {
		return a.remove(ctx, a.next.begun, ended)
	}
	ending, cancel := a.ending(outliving(ctx))
	defer cancel()
	if err := out.Discard(ending); err != nil {
		return a.unsent(ctx, err)
	}
	return ended, nil
}

// remove deletes messages of an answer whose question was deleted.
func (a *attempt) remove(ctx context.Context, parts []graph.MessageID, ended Ended) (Ended, error) {
	ending, cancel := a.ending(outliving(ctx))
	defer cancel()
	if err := a.deps.Replies.RemoveAll(ending, a.q.Channel, parts); err != nil {
		if _, err := a.unsent(ctx, err); err != nil {
			return "", err
		}
	}
	return ended, nil
}

// outliving returns a context for cleaning up after work under ctx whose question was deleted. It
// ends only if the claim is lost.
func outliving(ctx context.Context) context.Context {
	if errors.Is(context.Cause(ctx), conversation.ErrQuestionGone) {
		return context.WithoutCancel(ctx)
	}
	return ctx
}
