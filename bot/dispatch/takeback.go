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

// TakeBack deletes the answers to deleted questions. answers are their messages, as far as
// the store knows. What this process answered lately, and the store does not know, is looked
// up on Discord: an event may come when the answer is just over. Nobody waits for it, and
// what cannot be deleted now is deleted later.
func (d *Dispatcher) TakeBack(deleted discord.Delete, answers map[graph.MessageID][]graph.MessageID) {
	for _, id := range deleted.Messages {
		parts := answers[id]
		if len(parts) == 0 && !d.tasks.once.knows(store.TriggerClaim(id)) {
			continue
		}
		q := conversation.Question{Guild: deleted.Guild, Channel: deleted.Channel, ID: id, Place: d.door.guilds.Place(deleted.Channel, deleted.Guild)}
		t := d.asking.takeBack(q, parts)
		if err := d.presses.push(press{message: id}, d.tasks.job(t, func() { d.asking.ledger.take(t.pending) })); err != nil {
			d.asking.ledger.take(t.pending)
			t.log.Debug("the answer to a deleted question is taken back later", "error", err)
		}
	}
}

// takeBack returns the task of deleting the answer to a deleted question. Without parts it
// reads what stands, unless the question is so old that an answer would be far from it.
func (a *asking) takeBack(q conversation.Question, parts []graph.MessageID) *task {
	t := a.task(q, asker{guild: q.Guild})
	t.asked, t.inHand, t.doubted, t.denied, t.gone = a.clock.Now(), true, true, nil, nil
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

// forget erases from the store a question that was deleted, of which no event had told.
func (d *Dispatcher) forget(deletions *store.Deletions, q conversation.Question) {
	d.writes.Add(func(ctx context.Context) error {
		stale, err := deletions.Forget(ctx, q.Place.Scope, q.Channel, []graph.MessageID{q.ID})
		if err == nil {
			d.PutRight(stale)
		}
		return err
	})
}
