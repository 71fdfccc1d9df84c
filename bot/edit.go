package bot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// updated takes a new version of a message. Where a question of late was edited,
// its answer is made anew, behind whatever waits in the channel.
func (r *receiver) updated(m *discord.Message) {
	b := r.bot
	edited := b.history.Update(m)
	if !edited || !b.settings.EditAnswer || b.now().Sub(m.ID.Time()) > b.settings.EditWindow {
		return
	}
	where := b.world.place(m.Channel, m.Guild)
	if !where.self.asked(m, where.direct) {
		return
	}
	question, at := mention{guild: m.Guild, channel: m.Channel, id: m.ID, place: where}, m.Edited
	err := r.queues.push(m.Channel, job{run: func(ctx context.Context) { b.handleEdit(ctx, question, at) }})
	if err != nil {
		b.log.Warn("an edited question keeps its answer", "channel", m.Channel, "trigger", m.ID, "error", err)
	}
}

// handleEdit answers a question as it was edited, in place of the answer that it
// has. An answer that was not given yet needs no other: it is made from the newest
// version.
func (b *Bot) handleEdit(ctx context.Context, question mention, at time.Time) {
	b.settle(ctx, question, editID(question.id, at), func(ctx context.Context, log *slog.Logger) (string, error) {
		responses, err := b.responses.ByTrigger(ctx, question.place.scope, question.id)
		if err != nil || len(responses) == 0 {
			log.DebugContext(ctx, "an edited question has no answer that is known", "error", err)
			return outcomeDropped, nil
		}
		current := standing(responses)
		question.generation = current.Generation + 1
		release, err := b.takeOver(ctx, log, &question, &current)
		if err != nil {
			return "", err
		}
		defer release()
		p, err := b.prepare(ctx, question)
		switch {
		case errors.Is(err, errTriggerGone):
			return outcomeDropped, nil
		case err != nil:
			return "", fmt.Errorf("read an edited question: %w", err)
		case p.hash == current.PathHash:
			return outcomeDropped, nil // edited back, or the answer was made from this version
		}
		return b.respond(ctx, log, &p)
	})
}

// takeOver has a question's next answer take the place of the one that stands, of
// which it takes hold.
func (b *Bot) takeOver(ctx context.Context, log *slog.Logger, question *mention, current *store.Response) (release func(), err error) {
	question.over = partsOf(current)
	if len(question.over) == 0 {
		return func() {}, nil
	}
	head := question.over[0]
	release, err = b.hold(ctx, log, question.channel, head)
	if err != nil {
		return nil, err
	}
	if question.over, err = b.partsNow(ctx, current, head); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// standing is the answer that stands on Discord below the question itself: of the
// last generation the first, as those after it were asked for by "again".
func standing(responses []store.Response) store.Response {
	return slices.MinFunc(responses, func(a, b store.Response) int {
		if c := cmp.Compare(b.Generation, a.Generation); c != 0 {
			return c
		}
		return given(&a).Compare(given(&b))
	})
}

// given is when a response was given.
func given(r *store.Response) time.Time {
	if !r.Reused.IsZero() {
		return r.Reused
	}
	return r.Created
}

// editID names an edit, so that of all processes one answers it. No message has
// such an id: Discord's leave the highest bit free.
func editID(question graph.MessageID, at time.Time) graph.MessageID {
	b := binary.BigEndian.AppendUint64([]byte("heddle/1/edit"), uint64(question))
	b = binary.BigEndian.AppendUint64(b, uint64(at.UnixMicro()))
	sum := sha256.Sum256(b)
	return graph.MessageID(binary.BigEndian.Uint64(sum[:]) | 1<<63)
}
