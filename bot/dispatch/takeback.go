package dispatch

import (
	"context"
	"log/slog"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// TakeBack deletes the answers to deleted questions. answers holds their messages, as far
// as the store knows them. If this process has just answered a question, the store may
// not know the answer yet, and TakeBack looks for it on Discord. It does not wait for the
// deletions. Those that fail are tried again later.
func (d *Dispatcher) TakeBack(deleted discord.Delete, answers map[graph.MessageID][]graph.MessageID) {
	for _, id := range deleted.Messages {
		parts := answers[id]
		if len(parts) == 0 && !d.tasks.once.knows(store.TriggerClaim(id)) {
			continue
		}
		q := conversation.Question{Guild: deleted.Guild, Channel: deleted.Channel, ID: id, Place: d.intake.guilds.Place(deleted.Channel, deleted.Guild)}
		t := d.asking.takeBack(q, parts)
		if err := d.presses.push(press{message: id}, d.tasks.job(t, func() { d.asking.ledger.take(t.pending) })); err != nil {
			d.asking.ledger.take(t.pending)
			t.log.Debug("the answer to a deleted question is taken back later", "error", err)
		}
	}
}

// takeBack returns the task of deleting the answer to a deleted question. Without parts,
// the task looks for the answer on Discord, unless the question is older than leastLife.
func (a *asking) takeBack(q conversation.Question, parts []graph.MessageID) *task {
	t := a.task(q, asker{guild: q.Guild})
	t.asked, t.progress, t.denied, t.gone = a.clock.Now(), progress{stage: doubted, claim: claimed}, nil, nil
	t.do = func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) {
		a.ledger.take(t.pending)
		if len(parts) == 0 && a.clock.Now().Sub(q.ID.Time()) < leastLife {
			stands, err := a.stands(ctx, q)
			if err != nil {
				return "", err
			}
			parts = stands.parts
		}
		return a.questions.TakeBack(ctx, log, q.Channel, parts)
	}
	return t
}

// forget erases from the store a question whose deletion no event reported.
func (d *Dispatcher) forget(deletions *store.Deletions, q conversation.Question) {
	d.after.writes.Add(func(ctx context.Context) error {
		stale, err := deletions.Forget(ctx, q.Place.Scope, q.Channel, []graph.MessageID{q.ID})
		if err == nil {
			d.PutRight(stale)
		}
		return err
	})
}
