package questions

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
	"heddle/store"
)

// This file is all that the table of attempts knows of how questions are answered: what is passed to
// an attempt, and what comes of it.

// question is a question and what is known of it when an attempt begins.
type question struct {
	cause   string            // asked, changed, deleted, missed or checked
	asks    bool              // it is to be answered; otherwise only an answer that stands is to agree with it
	version time.Time         // the newest that was heard of
	answer  []graph.MessageID // the messages of its answer, if it was deleted and they are known
	late    bool              // its lifetime has ended
	before  outcome           // of this process's attempt before
}

// outcome is what an attempt came to.
type outcome struct {
	sent    []reply.Sent // the whole answer, if this process sent it
	version time.Time    // of the question that it answers
	begun   bool         // a part of an answer may stand
	doubt   bool         // another process may have written to the answer
	err     error
}

// bridge is an environment in which single attempts are made.
type bridge struct {
	*roomtest.Env

	t         *testing.T
	d         *Questions
	noButtons bool
	noEdits   bool
	id        graph.MessageID // of the question
	known     map[graph.MessageID]bool
}

// starts starts a process, in place of the one before, that knows nothing but what Discord and the
// store hold.
func (b *bridge) starts() {
	b.t.Helper()
	if b.d != nil {
		b.d.Stop()
	}
	b.Leases = answer.NewLeases(b.Store.Claims, roomtest.Lease, false)
	b.Replies = reply.New(b.REST, b.Store.Responses, time.Millisecond, b.Log)
	b.Replies.NoButtons = b.noButtons
	within := time.Hour
	if b.noEdits {
		within = 0
	}
	b.d = Start(b.Context(), Deps{
		Store: b.Store, Leases: b.Leases, Writes: b.Writes, Guilds: b.Guilds, History: b.History, REST: b.REST, Log: b.Log,
		Gate:    NewGate(guilds.NewPeople(b.Store, b.History, b.Log), b.Replies, GateSettings{Questions: Rules{Edits: within}}),
		Answers: b.With(func(c *roomtest.Parts) { c.Answer.Edits = within }).Answers,
	}, Settings{CatchUp: time.Hour})
}

// attempts makes one attempt at the question.
func (b *bridge) attempts(q question) outcome {
	b.t.Helper()
	t := b.d.newTask(conversation.Question{Guild: b.Guild, Channel: b.Channel, ID: b.id, Place: b.Place()}, asker{b.Guild, b.Ann}, q.version)
	t.news.asked, t.news.gone, t.news.parts = q.asks, q.cause == "deleted", q.answer
	t.looks, t.checks = q.cause == "missed" || q.cause == "checked", q.cause == "checked"
	t.before = answer.Outcome{Err: q.before.err, Looked: q.before.err != nil, Sent: q.before.sent, SentFor: q.before.version, Begun: q.before.begun}
	b.d.take(t.record)
	a := attempt{r: b.d.runner, task: t, news: t.news, late: q.late}
	err := a.do(b.Context())
	if _, away := b.Store.Backlog.Taken(b.Context()); away == nil {
		b.d.records.Flush(b.Context())
		b.Writes.Await(b.Context(), b.Place().Scope)
	}
	return outcome{t.before.Sent, t.before.SentFor, t.before.Begun, t.before.Doubt, err}
}

// named names what an attempt failed with.
func named(err error) string {
	for _, one := range []struct {
		err  error
		name string
	}{
		{nil, "done"}, // or left to whoever did it
		{answer.ErrUnanswered, "ignored"},
		{answer.ErrTooLate, "expired"},
		{answer.ErrAway, "unsent, as heddle is not in the guild"},
		{reply.ErrUnfinished, "unsent and stuck"},
		{answer.ErrLost, "lost"},
		{answer.ErrChanged, "edited"},
		{answer.ErrUnsent, "unsent"},
		{store.ErrHeld, "held by another process"},
		{store.ErrUnavailable, "the store is away"},
	} {
		if errors.Is(err, one.err) {
			return one.name
		}
	}
	return "failed"
}

// The errors of attempts before: after one that Discord refused, and after one whose answer could be
// neither finished nor deleted.
var (
	errDiscordAway = fmt.Errorf("%w: discord was away", answer.ErrUnsent)
	errStuck       = fmt.Errorf("%w: %w", answer.ErrUnsent, reply.ErrUnfinished)
)

// recorded returns the answers to the question that the store knows, and the version that each
// answers, oldest first.
func (b *bridge) recorded(ctx context.Context) (all []store.Response, of []time.Time) {
	b.t.Helper()
	all = errtest.Must(b.Store.Responses.ByTrigger(ctx, b.Place().Scope, b.id))(b.t)
	for i := range all {
		of = append(of, all[i].Question().Edited)
	}
	return all, of
}
