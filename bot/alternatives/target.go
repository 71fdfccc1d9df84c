package alternatives

import (
	"context"
	"log/slog"

	"heddle/bot/answer"
	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/store"
)

// target is where an answer goes: a new reply, or the messages of an answer that it replaces.
type target struct {
	shown *Displays
	to    reply.To
	scope store.Scope
	press *commands.Use // that asks for the answer; nil if nobody waits for it in particular
}

// aim returns a job of answering in a new reply or, if to names the messages of an answer, in
// their place. press is nil if nobody pressed for it.
func (ds *Displays) aim(job answer.Job, to reply.To, press *commands.Use) answer.Job {
	to.Channel = job.Channel
	if to.Trigger == job.ID {
		to.ReplyTo = job.Last()
	}
	if len(to.Over) > 0 {
		to.Scope = job.Place.Scope
	}
	job.Where, job.Target = to, &target{shown: ds, to: to, scope: job.Place.Scope, press: press}
	return job
}

// Growing implements answer.Target.
func (t *target) Growing(asker graph.UserID, stop func()) (below reply.Rows, end func()) {
	if t.shown.settings.NoButtons {
		return nil, func() {}
	}
	label := t.shown.language(t.to.Channel).Text("label_stop", nil)
	return reply.Rows{{reply.Button(stopName(asker, t.to.Trigger), label)}}, t.shown.stops.begin(t.to.Trigger, stop)
}

// Buttons implements answer.Target.
func (t *target) Buttons(ctx context.Context, log *slog.Logger, made *store.Response) reply.Rows {
	var before []store.Response
	if made.Generation > 0 || len(t.to.Over) > 0 || t.to.Trigger != made.Trigger { // others may stand beside it
		var err error
		if before, err = t.shown.deps.Store.Responses.ByTrigger(ctx, made.Scope, made.Trigger); err != nil {
			log.Log(ctx, store.LogLevel(err), "earlier answers could not be looked up, the answer gets no buttons to them", "error", err)
		}
	}
	all := store.Alternatives(before, made.Generation, *made)
	if at := indexOf(all, made.ID); at >= 0 {
		return t.shown.below(t.shown.language(made.Channel), all, at)
	}
	return nil
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
	return t.shown.show(ctx, log, d, d.shown, reply.Withdrawal(head))
}
