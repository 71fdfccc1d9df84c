package dispatch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// errAway means that heddle was removed from the guild of a question, or that the gateway
// has not reported the guild since heddle was invited. Nothing is known of who may read
// there, so the question must not be answered yet.
var errAway = fmt.Errorf("%w: heddle is not in the guild", answer.ErrUnsent)

// errTooLate means that the lifetime of a question has ended and that no part of its answer
// stands, so that it must not be answered any more.
var errTooLate = fmt.Errorf("%w: nothing of it stands", answer.ErrUnsent)

// errUnanswered means that an edited question has no answer that is known.
var errUnanswered = errors.New("the question has no answer that is known")

// panicError means that an attempt panicked. It does not hold the value of the panic, which
// may contain what people wrote.
type panicError struct{ stack string }

func (e *panicError) Error() string { return "the task panicked" }

// attempt is one try to make an answer agree with its question.
type attempt struct {
	*task

	d    *answerer
	news news // what is known of the question; its version is the newest that was read
	late bool // the lifetime of the question has ended
}

// do claims the question and makes its answer agree with it. It reports false if the
// question was answered as it reads before, and fails with store.ErrHeld while another process
// answers it. The outcome and the version become the done-mark.
//
// While the store is away, a process that runs alone answers anyway, and relies on its own
// memory of what it has answered. Any other process fails with store.ErrUnavailable.
func (a *attempt) do(ctx context.Context) (mine bool, err error) {
	claim := a.d.Store.Claims.Claim
	if a.checks || a.news.gone {
		claim = a.d.Store.Claims.Reclaim
	}
	a.lease = store.Lease{}
	lease, err := claim(ctx, store.TriggerClaim(a.q.ID).At(a.news.edited), a.d.Leases.TTL())
	switch {
	case errors.Is(err, store.ErrUnavailable) && !a.isElsewhere() && a.d.Leases.Alone():
		_, err = a.agree(ctx)
		return true, err
	case errors.Is(err, store.ErrDone):
		a.doubted = a.doubted || a.looks // whoever did it may have died before another look
		return false, nil
	case err != nil:
		return false, err
	}
	lease.Version = version(a.news.edited)
	a.lease = lease
	working, stop := a.d.Leases.Hold(ctx, lease)
	outcome, err := a.agree(working)
	lasted := stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
	defer cancel()
	if err != nil && !lasted { // whatever failed, it failed without the claim, and is looked at again
		return true, errors.Join(err, answer.ErrLost)
	}
	if err != nil {
		return true, errors.Join(err, a.d.Store.Claims.Release(ctx, lease))
	}
	lease.Version = version(a.news.edited)
	held, err := a.d.Store.Claims.Finish(ctx, lease, string(outcome))
	if err != nil { // what stands tells others that it is done
		a.d.records.Add(func(ctx context.Context) error { return a.d.Store.Claims.Done(ctx, lease, string(outcome)) })
	}
	a.doubted = a.doubted || !lasted || err == nil && !held
	return true, nil
}

// version returns the time of an edit as the store holds it; 0 for none.
func version(edited time.Time) int64 {
	if edited.IsZero() {
		return 0
	}
	return edited.UnixMicro()
}

// agree does what the attempt has to do. It turns a panic into an error, so that the claim is
// released as after any other error.
func (a *attempt) agree(ctx context.Context) (outcome answer.Outcome, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &panicError{string(debug.Stack())}
		}
	}()
	for { // again if the question is edited or continued meanwhile
		a.q.Parts, _ = a.d.parts.further(a.q.ID)
		outcome, err = a.decide(ctx)
		a.looks = true
		if !errors.Is(err, answer.ErrEdited) {
			break
		}
		a.news = a.d.tasks.begin(a.task)
	}
	a.doubted = a.doubted || outcome == answer.Torn
	if errors.Is(err, reply.ErrUnfinished) || outcome == answer.Denied {
		if err := a.d.Gate.Refused(ctx, a.log, reply.To{Channel: a.q.Channel, Trigger: a.q.ID}, a.by.person, a.q.Place); err != nil {
			a.log.Log(ctx, store.LogLevel(err), "somebody could not be told that heddle may not answer where they asked", "error", err)
		}
	}
	if outcome == answer.Gone && !a.news.gone {
		a.d.forget(a.q)
	}
	return outcome, err
}

// decide answers a new question at once if nobody else has tried to, and looks first otherwise.
func (a *attempt) decide(ctx context.Context) (answer.Outcome, error) {
	q := answer.Job{Question: a.q, Record: a}
	switch {
	case len(a.news.parts) > 0:
		return a.d.Alternatives.TakeBack(ctx, a.log, q.Channel, a.news.parts)
	case a.news.gone:
		return a.look(ctx, q)
	case a.q.Guild != 0 && !a.d.Guilds.KnowsGuild(a.q.Guild):
		return "", errAway
	case a.news.asked && !a.looks && !a.isElsewhere() && a.news.edited.IsZero():
		a.begun = true
		return a.d.Alternatives.Answer(ctx, a.log, q)
	}
	return a.look(ctx, q)
}

// look reads how the question reads and what stands of its answer, and makes them agree.
func (a *attempt) look(ctx context.Context, q answer.Job) (answer.Outcome, error) {
	m, err := a.d.reader.message(ctx, q.Channel, q.ID) // one that heddle may not read counts as never edited
	if err != nil && !discord.IsForbidden(err) && !discord.IsNotFound(err) {
		return "", later(err)
	}
	if m.ByWebhook() {
		a.d.Guilds.MetWebhook(q.Guild, m.Author.ID)
	}
	gone := a.news.gone || discord.HasCode(err, discord.CodeUnknownMessage)
	stands, err := a.d.reader.standing(ctx, q.Question)
	switch {
	case discord.IsNotFound(err): // the channel is gone, and the answer with it
		return answer.Dropped, nil
	case discord.IsForbidden(err) && errors.Is(a.failed, reply.ErrUnfinished): // the model is not asked before heddle may read there
		return "", fmt.Errorf("%w: %w: %w", answer.ErrUnsent, reply.ErrUnfinished, err)
	case err != nil && !discord.IsForbidden(err):
		return "", later(err)
	}
	a.begun = len(stands.parts) > 0
	a.doubted = a.doubted || a.begun && !a.checks && (a.looks || a.isElsewhere())
	if gone {
		a.log.InfoContext(ctx, "the answer to a deleted question is taken back", "parts", len(stands.parts))
		return a.d.Alternatives.TakeBack(ctx, a.log, q.Channel, stands.parts)
	}
	a.news = a.news.and(&news{edited: m.Edited})
	return a.choose(ctx, q, stands)
}

// choose asks what the store knows of the answer to a question that exists, and decides by the
// table of the package what to do.
func (a *attempt) choose(ctx context.Context, q answer.Job, stands standing) (answer.Outcome, error) {
	newest, known, err := a.d.Alternatives.Newest(ctx, q.Question)
	parts, sent := newest.Parts(), len(newest.Replies) > 0
	isPart := func(part graph.MessageID) bool { return part.Time().Equal(a.news.edited) }
	matters := !a.news.edited.IsZero() && (a.d.Gate.AnswersEdit(q.ID, a.news.edited) || slices.ContainsFunc(q.Parts, isPart))
	outdated := known && alternatives.AnsweredVersion(&newest).Before(a.news.edited)
	switch {
	case (!sent || outdated) && a.stillShows(stands) && (!matters || !a.sentFor.Before(a.news.edited)):
		return a.found(ctx, len(stands.parts)), nil
	case err != nil && matters:
		return "", err
	case outdated && matters && sent:
		if stands.state == half || !slices.Equal(stands.parts, parts) {
			q.Begun = stands.parts
		}
		return a.d.Alternatives.AnswerEdit(ctx, a.log, q, &newest)
	}
	switch {
	case stands.state == none && (a.checks || sent):
		return a.found(ctx, 0), nil
	case sent:
		return a.mend(ctx, q, stands)
	case stands.state == none && !a.news.asked:
		return "", errUnanswered
	case stands.state == none && a.late:
		return "", errTooLate
	case stands.state == whole && (!matters || alternatives.AnswersVersion(&stands.said[len(stands.said)-1], a.news.edited)) && len(a.sent) == 0:
		return a.found(ctx, len(stands.parts)), nil
	default:
		return a.over(ctx, q, stands)
	}
}

// stillShows reports whether what stands is the answer that this process sent.
func (a *attempt) stillShows(stands standing) bool {
	return len(a.sent) > 0 && slices.EqualFunc(stands.said, a.sent, func(m discord.Message, s reply.Sent) bool {
		return m.ID == s.ID && reply.Shows(&m, s.Text)
	})
}

// later returns an error after which an attempt is made again if Discord may answer then.
func later(err error) error {
	if reply.MaySucceedLater(err) {
		return fmt.Errorf("%w: %w", answer.ErrUnsent, err)
	}
	return err
}

// found returns the outcome of a question whose answer stands.
func (a *attempt) found(ctx context.Context, parts int) answer.Outcome {
	telemetry.Count(ctx, telemetry.Reconciled)
	a.log.InfoContext(ctx, "the answer stands already, it is not given again", "parts", parts)
	return answer.Found
}

// over answers the question in the messages that stand.
func (a *attempt) over(ctx context.Context, q answer.Job, stands standing) (answer.Outcome, error) {
	telemetry.Count(ctx, telemetry.TakenOver)
	if len(stands.parts) > 0 {
		telemetry.Count(ctx, telemetry.HalfEnded)
		a.log.InfoContext(ctx, "what stands of an answer is not the answer to its question as it reads now, it is answered again", "parts", len(stands.parts))
	}
	a.sent, a.begun, a.doubted = nil, true, true
	q.Begun, q.Retried = stands.parts, true
	return a.d.Alternatives.Answer(ctx, a.log, q)
}

// mend makes what stands equal to what was recorded.
func (a *attempt) mend(ctx context.Context, q answer.Job, stands standing) (answer.Outcome, error) {
	mended, err := a.d.Alternatives.Mend(ctx, a.log, q.Question, stands.said)
	switch {
	case errors.Is(err, alternatives.ErrUnrecorded):
		return a.over(ctx, q, stands)
	case answer.IsLost(ctx), errors.Is(err, discord.ErrFenced):
		return "", answer.ErrLost
	case err != nil:
		return "", later(err)
	case mended:
		a.log.InfoContext(ctx, "an answer to which another process had written was put right")
	}
	return a.found(ctx, len(stands.parts)), nil
}

// recordWait bounds how long an answer waits for the record of its question. A slow disk
// delays no answer for longer.
const recordWait = time.Second

// Stored implements answer.Record. It waits until the store holds the record. It returns
// earlier if the store is away, and in any case after recordWait. If the process dies before
// that, nothing stands of the answer, and reading the channel finds the question again.
func (a *attempt) Stored(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordWait)
	defer cancel()
	a.d.records.Flush(ctx)
}

// Remember implements answer.Record. It remembers the messages of a whole answer. If nothing
// has to be looked at once more, it returns that the task is done and its record settled.
func (a *attempt) Remember(sent []reply.Sent) []store.Also {
	a.sent, a.sentFor = slices.Clone(sent), a.news.edited
	a.doubted = a.doubted || slices.ContainsFunc(sent, func(s reply.Sent) bool { return s.Found })
	if len(sent) == 0 || a.doubted || a.lease == (store.Lease{}) {
		return nil
	}
	return a.d.Store.Claims.Marks(a.lease, string(answer.Answered), a.record)
}
