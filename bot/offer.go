package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"heddle/bot/work"

	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// offerEdit has the answer to a question that was edited offer another one. Where no
// answer came of the question, nobody loses anything: it is answered at once.
func (b *Bot) offerEdit(ctx context.Context, log *slog.Logger, question mention, current *store.Response) (string, error) {
	if current.Text == "" || len(current.Replies) == 0 {
		return b.answerEdit(ctx, log, question, current)
	}
	return outcomeDropped, b.review(ctx, log, question, current, b.offer)
}

// reviewOffer takes back what an answer offers where its question reads again as it was
// answered, however long ago it was asked.
func (b *Bot) reviewOffer(ctx context.Context, log *slog.Logger, question mention, current *store.Response) (string, error) {
	leave := func(context.Context, mention, *display) error { return nil }
	return outcomeDropped, b.review(ctx, log, question, current, leave)
}

// review looks at the answer to an edited question. Where the question reads otherwise
// than it was answered and nothing is offered yet, otherwise is done.
func (b *Bot) review(
	ctx context.Context, log *slog.Logger, question mention, current *store.Response, otherwise func(context.Context, mention, *display) error,
) error {
	if len(current.Replies) == 0 {
		return nil
	}
	head := current.Replies[0].ID
	release, err := b.hold(ctx, log, question.channel, head)
	if err != nil {
		return err
	}
	defer release()
	d, err := b.readDisplay(ctx, question.place.Scope, question.channel, head)
	if errors.Is(err, errAnswersGone) {
		return nil
	}
	if err != nil {
		return err
	}
	changed, err := b.readsOtherwise(ctx, question, &d.all[d.shown])
	// A question that is deleted from here on breaks nothing off: nobody would know
	// whether Discord has put the button there.
	ending, cancel := work.Ending(ctx, b.settings.Flush)
	defer cancel()
	switch {
	case errors.Is(err, work.ErrQuestionGone), err == nil && changed == d.offers:
		return nil
	case err != nil:
		return err
	case changed:
		return otherwise(ending, question, d)
	default:
		return b.unoffer(ending, d)
	}
}

// offer has an answer offer another one. The store is told first, so that whoever
// deletes the question finds the offer; who did so before is looked for after.
func (b *Bot) offer(ctx context.Context, question mention, d *display) error {
	shown := &d.all[d.shown]
	offer := store.Offer{Answer: d.parts[0], Generation: shown.Generation}
	if err := b.offers.Offer(ctx, d.scope, shown.Trigger, offer); err != nil {
		return fmt.Errorf("offer another answer: %w", err)
	}
	d.offers = true
	if err := b.relabel(ctx, d); err != nil {
		return errors.Join(err, b.offers.Unoffer(ctx, d.scope, shown.Trigger))
	}
	if _, err := question.read(b.reading(question).Source(ctx)); errors.Is(err, work.ErrQuestionGone) {
		return b.unoffer(ctx, d)
	}
	return nil
}

// unoffer has an answer offer no other one any more.
func (b *Bot) unoffer(ctx context.Context, d *display) error {
	if err := b.offers.Unoffer(ctx, d.scope, d.all[d.shown].Trigger); err != nil {
		return fmt.Errorf("take an offer back: %w", err)
	}
	d.offers = false
	return b.relabel(ctx, d)
}

// answerOffered answers a question as it was edited, in place of the answer that offered
// to, as somebody pressed for it. Where somebody did so since the button was shown, that
// is enough.
func (b *Bot) answerOffered(ctx context.Context, log *slog.Logger, p *press) error {
	d, release, err := b.display(ctx, log, p)
	if err != nil {
		return err
	}
	defer release()
	if !d.offers || indexOf(d.all, p.response) < 0 {
		return b.relabel(ctx, d)
	}
	shown := &d.all[d.shown]
	question := b.pressedFor(log, p, d)
	question.generation, question.reply = shown.Generation+1, 0 // it stands below the question itself
	otherwise, err := b.readsOtherwise(ctx, question, shown)
	switch {
	case err != nil:
		return err
	case !otherwise:
		return b.unoffer(ctx, d)
	}
	b.settle(ctx, question, store.InteractionClaim(p.ID), func(ctx context.Context, log *slog.Logger) (string, error) {
		return b.answerInPlace(ctx, log, question, shown)
	})
	return nil
}

// offering gives the messages that hold offers to answer questions as they were edited,
// which lead nowhere when the questions are deleted.
func (b *Bot) offering(ctx context.Context, scope store.Scope, deleted discord.Delete) []graph.MessageID {
	if b.settings.Edits != EditsOffered {
		return nil
	}
	offers, err := b.offers.Offers(ctx, scope, deleted.Messages)
	if err != nil { // the deletion meets the same outage, and both are tried again
		b.log.DebugContext(ctx, "the offers to answer deleted questions could not be read", "error", err)
	}
	var holding []graph.MessageID
	for _, offer := range offers {
		if d, err := b.readDisplay(ctx, scope, deleted.Channel, offer.Answer); err == nil && d.offers {
			holding = append(holding, d.last())
		}
	}
	return holding
}

// clear takes all buttons off a message whose question was deleted: none leads anywhere.
func (r *receiver) clear(channel graph.ChannelID, message graph.MessageID) {
	b := r.bot
	err := r.presses.push(graph.ChannelID(message), job{run: func(ctx context.Context) {
		if err := b.outbox.SetButtons(ctx, channel, message, nil); err != nil && !errors.Is(err, outbox.ErrDeleted) {
			b.log.WarnContext(ctx, "buttons could not be taken away", "channel", channel, "message", message, "error", err)
		}
	}})
	if err != nil {
		b.log.Debug("buttons stay until somebody presses one", "channel", channel, "message", message, "error", err)
	}
}
