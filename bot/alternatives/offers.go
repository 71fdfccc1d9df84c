package alternatives

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/store"
)

// offerOrAnswer makes the answer to an edited question offer another one. If no answer
// was sent, nobody loses one, and the question is answered at once.
func (e *Edits) offerOrAnswer(ctx context.Context, log *slog.Logger, q answer.Question, current *store.Response) (answer.Outcome, error) {
	if current.Text == "" || len(current.Replies) == 0 {
		return e.answer(ctx, log, q, current)
	}
	return answer.Dropped, e.review(ctx, log, q, current, e.offer)
}

// reviewOffer takes back what an answer offers if its question reads again as it did when
// it was answered. The age of the question does not matter.
func (e *Edits) reviewOffer(ctx context.Context, log *slog.Logger, q answer.Question, current *store.Response) (answer.Outcome, error) {
	leave := func(context.Context, answer.Question, *display) error { return nil }
	return answer.Dropped, e.review(ctx, log, q, current, leave)
}

// review compares an edited question with its answer. If the question has changed and
// nothing is offered yet, it calls changed. If the question reads again as it was
// answered, it takes the offer back.
func (e *Edits) review(
	ctx context.Context, log *slog.Logger, q answer.Question, current *store.Response, changed func(context.Context, answer.Question, *display) error,
) error {
	if len(current.Replies) == 0 {
		return nil
	}
	head := current.Replies[0].ID
	release, err := e.displays.locks.lock(ctx, log, q.Channel, head)
	if err != nil {
		return err
	}
	defer release()
	d, err := e.displays.read(ctx, q.Place.Scope, q.Channel, head)
	if errors.Is(err, ErrAnswersGone) {
		return nil
	}
	if err != nil {
		return err
	}
	hasChanged, err := e.wording.changed(ctx, q, d.current())
	// From here on, the deletion of the question no longer interrupts the work. Otherwise
	// nobody would know whether Discord has added the button.
	ending, cancel := work.Ending(ctx, e.flush)
	defer cancel()
	switch {
	case errors.Is(err, work.ErrQuestionGone), err == nil && hasChanged == d.offers:
		return nil
	case err != nil:
		return err
	case hasChanged:
		return changed(ending, q, d)
	default:
		return e.withdraw(ending, q, d)
	}
}

// offer makes an answer offer another one. The store is told first, so that whoever
// deletes the question finds the offer.
func (e *Edits) offer(ctx context.Context, q answer.Question, d *display) error {
	shown := d.current()
	offer := store.Offer{Answer: d.parts[0], Generation: shown.Generation}
	offers := e.displays.offers
	if err := offers.Offer(ctx, d.scope, shown.Trigger, offer); err != nil {
		return fmt.Errorf("offer another answer: %w", err)
	}
	d.offers = true
	if err := e.displays.relabel(ctx, d); err != nil {
		return errors.Join(err, offers.Unoffer(ctx, d.scope, shown.Trigger))
	}
	return e.clearIfGone(ctx, q, d)
}

// withdraw takes back what an answer offers.
func (e *Edits) withdraw(ctx context.Context, q answer.Question, d *display) error {
	if err := e.displays.unoffer(ctx, d); err != nil {
		return err
	}
	return e.clearIfGone(ctx, q, d)
}

// clearIfGone removes the buttons that were just set below the answer to a question, and
// the offer, if the question was deleted meanwhile. Whoever deleted it removed the buttons,
// too, but perhaps before they were set.
func (e *Edits) clearIfGone(ctx context.Context, q answer.Question, d *display) error {
	if _, err := e.answers.Read(ctx, q.Question); !errors.Is(err, work.ErrQuestionGone) {
		return nil
	}
	if err := e.displays.offers.Unoffer(ctx, d.scope, d.current().Trigger); err != nil {
		return fmt.Errorf("take an offer back: %w", err)
	}
	return e.displays.outbox.SetButtons(ctx, d.channel, d.last(), nil)
}

// unoffer takes back what an answer offers, and leaves the other buttons.
func (ds *displays) unoffer(ctx context.Context, d *display) error {
	if err := ds.offers.Unoffer(ctx, d.scope, d.current().Trigger); err != nil {
		return fmt.Errorf("take an offer back: %w", err)
	}
	d.offers = false
	return ds.relabel(ctx, d)
}

// Offering returns the messages with buttons that offer to answer questions which were
// deleted. Those buttons no longer do anything.
func (e *Edits) Offering(ctx context.Context, scope store.Scope, channel graph.ChannelID, deleted []graph.MessageID) []graph.MessageID {
	if e.settings.Edits != EditsOffered {
		return nil
	}
	offers, err := e.displays.offers.Offers(ctx, scope, deleted)
	if err != nil { // the deletion meets the same outage, and both are tried again
		e.log.DebugContext(ctx, "offers to answer deleted questions could not be read", "error", err)
	}
	var offering []graph.MessageID
	for _, offer := range offers {
		if d, err := e.displays.read(ctx, scope, channel, offer.Answer); err == nil && d.offers {
			offering = append(offering, d.last())
		}
	}
	return offering
}

// Answers returns the messages in which answers to questions that were deleted stand, as
// far as the store knows.
func (e *Edits) Answers(ctx context.Context, scope store.Scope, deleted []graph.MessageID) map[graph.MessageID][]graph.MessageID {
	answers := make(map[graph.MessageID][]graph.MessageID)
	for _, question := range deleted {
		responses, err := e.displays.responses.ByTrigger(ctx, scope, question)
		if err != nil { // the deletion meets the same outage, and both are tried again
			e.log.DebugContext(ctx, "answers to deleted questions could not be looked up", "error", err)
			return answers
		}
		for i := range responses {
			for _, part := range partsOf(&responses[i]) {
				if !slices.Contains(answers[question], part) {
					answers[question] = append(answers[question], part)
				}
			}
		}
		slices.Sort(answers[question])
	}
	return answers
}

// Recount corrects the numbers below an answer after one of its alternatives was deleted.
func (e *Edits) Recount(ctx context.Context, at store.Place) {
	log := e.log.With("channel", at.Channel, "message", at.Message)
	if err := e.displays.relabelLocked(ctx, log, at); err != nil && !errors.Is(err, ErrAnswersGone) && !errors.Is(err, outbox.ErrDeleted) {
		log.Log(ctx, work.LogLevel(err), "alternatives could not be counted anew, the numbers are wrong until somebody presses a button", "error", err)
	}
}

// ClearButtons removes all buttons from a message whose question or answer was deleted.
func (e *Edits) ClearButtons(ctx context.Context, at store.Place) {
	err := e.displays.outbox.SetButtons(ctx, at.Channel, at.Message, nil)
	if err != nil && !errors.Is(err, outbox.ErrDeleted) {
		e.log.WarnContext(ctx, "buttons could not be removed, they stay until somebody presses one", "channel", at.Channel, "message", at.Message, "error", err)
	}
}
