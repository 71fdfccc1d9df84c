package dispatch

import (
	"context"
	"log/slog"
	"time"

	"heddle/bot/alternatives"
	"heddle/bot/conversation"
	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// takeover resumes the questions that a process took and did not settle, because it died.
type takeover struct {
	ledger *ledger
	queues *queues[graph.ChannelID]
	tasks  *performer
	asking *asking
	edits  *alternatives.Edits
	log    *slog.Logger

	// resuming holds the taken questions that wait in queues to be resumed. Every look at the
	// store finds them again.
	resuming newest[store.Pending]
	// lingering holds the questions that have ended as far as this process knows, and
	// that the process which took them had not settled at the last look. Only the ledger's
	// writes use it.
	lingering map[store.Pending]bool
}

// run looks periodically, until ctx ends, for questions whose process died while
// it answered them.
func (o *takeover) run(ctx context.Context) {
	for wait.For(ctx, o.tasks.once.leases.TTL()) == nil {
		o.look()
	}
}

// look resumes the questions that a process took and did not settle. It leaves
// alone those that another process is answering, and looks at them again later. A
// question that has ended as far as this process knows may be about to be settled. It is
// resumed if the next look still finds it.
func (o *takeover) look() {
	o.ledger.writes.Add(func(ctx context.Context) error {
		taken, err := o.ledger.backlog.Taken(ctx)
		if err != nil {
			return err
		}
		lingering := make(map[store.Pending]bool)
		for _, p := range taken {
			known := o.tasks.once.knows(p.Claim())
			if o.tasks.once.recent.isOver(p.Claim()) && p.By != o.ledger.self {
				lingering[p], known = true, !o.lingering[p]
			}
			if known || !o.asking.intake.isReported(p.Guild) {
				continue
			}
			if !o.resuming.put(p, nil) {
				continue
			}
			err := o.queues.push(p.Channel, job{by: asker{guild: p.Guild}, run: func(ctx context.Context) { o.resume(ctx, p) }})
			if err != nil {
				o.resuming.take(p)
				o.log.DebugContext(ctx, "a question that was taken is resumed later", "trigger", p.Trigger, "error", err)
			}
		}
		o.lingering = lingering
		return nil
	})
}

// resume resumes a question that a process took and did not settle.
func (o *takeover) resume(ctx context.Context, p store.Pending) {
	o.resuming.take(p)
	known, err := o.asking.intake.meet(ctx, p.Guild, p.Channel)
	if discord.IsNotFound(err) {
		o.ledger.settle(p) // the question is gone together with its channel
		return
	}
	if err != nil || !known {
		o.log.DebugContext(ctx, "a question that was taken is resumed later", "trigger", p.Trigger, "error", err)
		return
	}
	t := o.task(p, o.asking.intake.guilds.Place(p.Channel, p.Guild))
	if t == nil {
		o.ledger.settle(p)
		return
	}
	if o.tasks.once.recent.reopen(p.Claim()) {
		t.claim = claimed
	}
	o.tasks.perform(ctx, t)
}

// task returns the task of handling a question or an edit that a process took and did not
// finish. It returns nil for an edit that the settings ignore by now.
func (o *takeover) task(p store.Pending, place guilds.Place) *task {
	q := conversation.Question{Guild: p.Guild, Channel: p.Channel, ID: p.Trigger, Place: place}
	if p.Edited == 0 {
		t := o.asking.task(q, asker{guild: p.Guild})
		t.pending, t.stage, t.contested = p, tried, true
		return t
	}
	at := time.UnixMicro(p.Edited)
	handle := o.edits.Handling(at.Sub(p.Trigger.Time()))
	if handle == nil {
		return nil
	}
	t := o.asking.edit(q, asker{guild: p.Guild}, at, handle)
	t.pending, t.stage = p, tried
	return t
}
