package questions

import (
	"context"
	"errors"
	"time"

	"heddle/bot/answer"
	"heddle/bot/reply"
	"heddle/store"
)

// attempt is one try to make an answer agree with its question.
type attempt struct {
	*task

	d    *answerer
	news news // what is known of the question; its version is the newest that was read
	late bool // the lifetime of the question has ended
}

// do makes the attempt, again at once if the question is edited meanwhile. People who must know of
// the outcome are told.
func (a *attempt) do(ctx context.Context) (err error) {
	for { // again if the question is edited or continued meanwhile
		a.q.Parts, _ = a.d.parts.further(a.q.ID)
		a.before, err = a.d.Answers.Answer(ctx, a.question())
		a.news = a.news.and(&news{edited: a.before.Version})
		if lease, ended := a.before.Unmarked, string(a.before.Ended); lease != (store.Lease{}) {
			a.d.records.Add(func(ctx context.Context) error { return a.d.Store.Claims.Done(ctx, lease, ended) })
		}
		if !errors.Is(err, answer.ErrChanged) || ctx.Err() != nil {
			break
		}
		a.news = a.d.tasks.begin(a.task)
	}
	if errors.Is(err, reply.ErrUnfinished) || a.before.Ended == answer.Denied {
		if err := a.d.Gate.Refused(ctx, a.log, reply.To{Channel: a.q.Channel, Trigger: a.q.ID}, a.by.person, a.q.Place); err != nil {
			a.log.Log(ctx, store.LogLevel(err), "somebody could not be told that heddle may not answer where they asked", "error", err)
		}
	}
	if err == nil && a.before.Ended == answer.Gone && !a.news.gone {
		a.d.forget(a.q)
	}
	return err
}

// question returns the question as far as it is known.
func (a *attempt) question() answer.Question {
	q := answer.Question{
		Question: a.q, Asks: a.news.asked, Version: a.news.edited, Answer: a.news.parts, Before: a.before, Late: a.late, Taken: a.record,
		Stored: a.d.records.Written(),
	}
	switch {
	case a.news.gone:
		q.Cause = answer.Deleted
	case a.checks:
		q.Cause = answer.Checked
	case a.looks:
		q.Cause = answer.Missed
	case !a.news.edited.IsZero():
		q.Cause = answer.Changed
	}
	return q
}

// version returns the time of an edit as the store holds it; 0 for none.
func version(edited time.Time) int64 {
	if edited.IsZero() {
		return 0
	}
	return edited.UnixMicro()
}
