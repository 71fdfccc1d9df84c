package alternatives

import (
	"cmp"
	"context"
	"log/slog"

	"heddle/bot/answer"
	"heddle/bot/commands"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// target is where an answer goes: a new reply, or the messages of an answer that it replaces.
type target struct {
	shown  *Displays
	to     outbox.To
	scope  store.Scope
	beside bool          // earlier answers may stand beside it
	press  *commands.Use // that asks for the answer; nil if nobody waits for it in particular
}

// newReply returns the job of answering a question with a new reply.
func (ds *Displays) newReply(q answer.Question) answer.Job {
	to := outbox.To{Channel: q.Channel, Trigger: q.ID}
	return answer.Job{Question: q, Target: &target{shown: ds, to: to, scope: q.Place.Scope}}
}

// newReplyBeside returns the job of answering a question once more, in reply to the message
// that asks for it.
func (ds *Displays) newReplyBeside(q answer.Question, asks graph.MessageID, generation int) answer.Job {
	to := outbox.To{Channel: q.Channel, Trigger: asks}
	return answer.Job{
		Question: q, Target: &target{shown: ds, to: to, scope: q.Place.Scope, beside: true}, Fresh: true, Generation: generation,
	}
}

// edit returns the job of answering a question as it was edited, in place of the answer
// that stands in the messages over. If there are none, the answer is a new reply. A replyTo of
// 0 stands for the question. press is nil if nobody pressed for it.
func (ds *Displays) edit(q answer.Question, generation int, over []graph.MessageID, replyTo graph.MessageID, press *commands.Use) answer.Job {
	to := outbox.To{Channel: q.Channel, Trigger: cmp.Or(replyTo, q.ID), Over: over, Leaving: ds.leaving(q.Place.Scope)}
	return answer.Job{Question: q, Generation: generation, Target: &target{shown: ds, to: to, scope: q.Place.Scope, press: press}}
}

// afresh returns the job of answering a question once more in place of what a display
// shows, which stays an alternative.
func (ds *Displays) afresh(q answer.Question, d *display, press *commands.Use) answer.Job {
	to := d.to(newAlternative, outbox.Interaction(press.ID))
	to.Leaving = ds.leaving(d.scope)
	return answer.Job{
		Question: q, Fresh: true, Generation: d.current().Generation,
		Target: &target{shown: ds, to: to, scope: d.scope, beside: true, press: press},
	}
}

// leaving returns what notes that an answer in a scope became shorter.
func (ds *Displays) leaving(scope store.Scope) func(ctx context.Context, stay, leave []graph.MessageID) error {
	return func(ctx context.Context, stay, leave []graph.MessageID) error {
		return ds.deps.Store.Responses.Leave(ctx, scope, stay, leave)
	}
}

// To implements answer.Target.
func (t *target) To() outbox.To { return t.to }

// Growing implements answer.Target.
func (t *target) Growing(ctx context.Context, asker graph.UserID) (below outbox.Rows, stopped <-chan struct{}, end func()) {
	if t.shown.settings.NoButtons {
		return nil, nil, func() {}
	}
	stopped, end = t.shown.stops.begin(ctx, t.to.Trigger)
	label := t.shown.language(t.to.Channel).Text(phrases.LabelStop, nil)
	return outbox.Rows{{outbox.Button(stopName(asker, t.to.Trigger), label)}}, stopped, end
}

// Final implements answer.Target.
func (t *target) Final(ctx context.Context, log *slog.Logger, made *store.Response, notice string) outbox.Final {
	var before []store.Response
	if t.beside || made.Generation > 0 {
		var err error
		if before, err = t.shown.deps.Store.Responses.ByTrigger(ctx, made.Scope, made.Trigger); err != nil {
			log.Log(ctx, work.LogLevel(err), "earlier answers could not be looked up, the answer gets no buttons to them", "error", err)
		}
	}
	final := outbox.Final{Notice: notice}
	all := store.Alternatives(append(before, *made), made.Generation)
	if at := indexOf(all, made.ID); at >= 0 {
		final.Buttons = t.shown.below(t.shown.language(made.Channel), all, at)
	}
	return final
}

// Tell implements answer.Target.
func (t *target) Tell(ctx context.Context, said phrases.Phrase) {
	if t.press != nil {
		t.shown.tell(ctx, t.shown.deps.Log, t.press, said)
	}
}

// Restore implements answer.Target. A new reply replaces nothing.
func (t *target) Restore(ctx context.Context, log *slog.Logger) error {
	if len(t.to.Over) == 0 {
		return nil
	}
	head := t.to.Over[0]
	d, err := t.shown.read(ctx, t.scope, t.to.Channel, head)
	if err != nil {
		return err
	}
	return t.shown.show(ctx, log, d, d.shown, outbox.Withdrawal(head))
}
