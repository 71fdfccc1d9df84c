package alternatives

import (
	"cmp"
	"context"
	"log/slog"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/store"
)

// jobs makes jobs. There are four kinds: a question, a question asked again, an edited
// question, and one that somebody pressed a button for.
type jobs struct{ displays *displays }

// question returns the job of answering a question with a new reply.
func (j jobs) question(q answer.Question) answer.Job {
	to := outbox.To{Channel: q.Channel, Trigger: q.ID}
	return answer.Job{Question: q, Target: &reply{displays: j.displays, to: to}}
}

// again returns the job of answering a question once more, in reply to the message
// that asks for it.
func (j jobs) again(q answer.Question, asks graph.MessageID, generation int) answer.Job {
	to := outbox.To{Channel: q.Channel, Trigger: asks}
	return answer.Job{
		Question: q, Target: &reply{displays: j.displays, to: to, fresh: true}, Fresh: true, Generation: generation,
	}
}

// edit returns the job of answering a question as it was edited, in place of the answer
// that stands in the messages over. If there are none, the answer is a new reply. The
// target passes on to tell what it is told. A replyTo of 0 stands for the question.
func (j jobs) edit(q answer.Question, generation int, over []graph.MessageID, replyTo graph.MessageID, tell tell) answer.Job {
	to := outbox.To{Channel: q.Channel, Trigger: cmp.Or(replyTo, q.ID), Over: over, Leaving: j.displays.leaving(q.Place.Scope)}
	job := answer.Job{Question: q, Generation: generation}
	if len(over) == 0 {
		job.Target = &reply{displays: j.displays, to: to}
		return job
	}
	none := func(*store.Response) string { return "" }
	job.Target = &replacement{reply: reply{displays: j.displays, to: to}, scope: q.Place.Scope, tell: tell, files: none}
	return job
}

// afresh returns the job of answering a question once more in place of what a display
// shows, which stays an alternative.
func (j jobs) afresh(q answer.Question, d *display, cause outbox.Cause, tell tell) answer.Job {
	to := d.to(newAlternative, cause)
	to.Leaving = j.displays.leaving(d.scope)
	return answer.Job{
		Question: q, Fresh: true, Generation: d.current().Generation,
		Target: &replacement{
			reply: reply{displays: j.displays, to: to, fresh: true}, scope: d.scope, tell: tell,
			files: func(made *store.Response) string { return d.filesOfOthers(newAlternative, d.reached(made)) },
		},
	}
}

// tell says something to the person who waits for an answer, and to nobody else.
type tell func(ctx context.Context, said phrases.Phrase)

// nobody is the tell of answers that nobody waits for in particular.
func nobody(context.Context, phrases.Phrase) {}

// reply is the target of an answer that is sent as a new reply.
type reply struct {
	displays *displays
	to       outbox.To
	fresh    bool // earlier answers may stand beside it
}

// To implements answer.Target.
func (r *reply) To() outbox.To { return r.to }

// Final implements answer.Target.
func (r *reply) Final(ctx context.Context, log *slog.Logger, made *store.Response, notice string) outbox.Final {
	if r.fresh || made.Generation > 0 {
		return outbox.Final{Notice: notice, Buttons: r.displays.belowLatest(ctx, log, made)}
	}
	return outbox.Final{Notice: notice, Buttons: r.displays.belowNew(made, nil)}
}

// Tell implements answer.Target. Nobody waits for a new reply in particular.
func (r *reply) Tell(context.Context, phrases.Phrase) {}

// Restore implements answer.Target. A new reply replaces nothing.
func (r *reply) Restore(context.Context, *slog.Logger) error { return nil }

// replacement is the target of an answer that replaces another in its messages.
type replacement struct {
	reply

	scope store.Scope
	tell  tell
	files func(made *store.Response) string // the notice of files that stay below an answer
}

// Final implements answer.Target.
func (r *replacement) Final(ctx context.Context, log *slog.Logger, made *store.Response, notice string) outbox.Final {
	return r.reply.Final(ctx, log, made, phrases.Lines(notice, r.files(made)))
}

// Tell implements answer.Target.
func (r *replacement) Tell(ctx context.Context, said phrases.Phrase) { r.tell(ctx, said) }

// Restore implements answer.Target.
func (r *replacement) Restore(ctx context.Context, log *slog.Logger) error {
	head := r.to.Over[0]
	d, err := r.displays.read(ctx, r.scope, r.to.Channel, head)
	if err != nil {
		return err
	}
	return r.displays.show(ctx, log, d, d.shown, outbox.Withdrawal(head))
}
