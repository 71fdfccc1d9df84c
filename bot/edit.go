package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/work"

	"heddle/bot/phrases"

	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/store"
)

// Edits says what is done where a question is edited that was answered.
type Edits uint8

// What may be done.
const (
	EditsIgnored  Edits = iota // nothing
	EditsOffered               // its answer offers another one
	EditsAnswered              // it is answered anew
)

// handling is what is done for an edited question, whose present answer is given. It
// gives the outcome.
type handling func(ctx context.Context, log *slog.Logger, question mention, current *store.Response) (string, error)

// edited is what is done where a question is edited that was asked so long ago, nil for
// nothing.
func (b *Bot) edited(ago time.Duration) handling {
	soon := ago <= b.settings.EditWindow
	switch {
	case b.settings.Edits == EditsAnswered && soon:
		return b.answerEdit
	case b.settings.Edits == EditsOffered && soon:
		return b.offerEdit
	case b.settings.Edits == EditsOffered:
		return b.reviewOffer
	default:
		return nil
	}
}

// updated takes a new version of a message. Where a question was edited, its answer is
// made anew or offered to be, behind whatever waits in the channel.
func (r *receiver) updated(m *discord.Message) {
	b := r.bot
	edited := b.history.Update(m)
	handle := b.edited(b.now().Sub(m.ID.Time()))
	// What was read after the edit and before its event says nothing of what was answered.
	if !edited && m.Edited.IsZero() || handle == nil {
		return
	}
	where := b.guilds.Place(m.Channel, m.Guild)
	if !where.IsAsked(m) {
		return
	}
	question, at := mention{guild: m.Guild, channel: m.Channel, id: m.ID, place: where}, m.Edited
	err := r.queues.push(m.Channel, job{run: func(ctx context.Context) { b.handleEdit(ctx, question, at, handle) }})
	if err != nil {
		b.log.Warn("an edited question keeps its answer", "channel", m.Channel, "trigger", m.ID, "error", err)
	}
}

// errUnanswered says that a question has no answer that is known.
var errUnanswered = errors.New("the question has no answer that is known")

// handleEdit handles an edit of a question that has an answer. One that this process is
// to give yet needs no other: it is made from the newest version. One that another
// process is giving is left to that one, which handles the edit behind it.
func (b *Bot) handleEdit(ctx context.Context, question mention, at time.Time, handle handling) {
	b.settle(ctx, question, store.EditClaim(question.id, at), func(ctx context.Context, log *slog.Logger) (string, error) {
		responses, err := b.responses.ByTrigger(ctx, question.place.Scope, question.id)
		if err != nil || len(responses) == 0 {
			return "", errors.Join(errUnanswered, err)
		}
		current := standing(responses)
		return handle(ctx, log, question, &current)
	})
}

// answerEdit answers a question as it was edited, in place of the answer that it has.
func (b *Bot) answerEdit(ctx context.Context, log *slog.Logger, question mention, current *store.Response) (string, error) {
	release, err := b.takeOver(ctx, log, &question, current)
	if err != nil {
		return "", err
	}
	defer release()
	question.generation = current.Generation + 1
	return b.answerInPlace(ctx, log, question, current)
}

// answerInPlace answers a question that was edited in the messages that it takes over.
func (b *Bot) answerInPlace(ctx context.Context, log *slog.Logger, question mention, current *store.Response) (string, error) {
	p, err := b.prepare(ctx, question)
	switch {
	case errors.Is(err, work.ErrQuestionGone):
		question.tell(ctx, phrases.QuestionGone)
		return outcomeDropped, nil
	case err != nil:
		question.tell(ctx, sentence(err))
		return "", fmt.Errorf("read an edited question: %w", err)
	case p.hash == current.PathHash:
		return outcomeDropped, nil // edited back, or the answer was made from this version
	}
	return b.respond(ctx, log, &p)
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

// readsOtherwise says whether a question reads otherwise than it did when it was
// answered: whether its own words were changed, whatever was said before it.
func (b *Bot) readsOtherwise(ctx context.Context, question mention, answer *store.Response) (bool, error) {
	b.writes.Flush(ctx) // what was deleted before is not read
	now, err := question.read(b.reading(question).Source(ctx))
	if err != nil {
		return false, err
	}
	turns, err := b.responses.Turns(ctx, *answer)
	if err != nil || len(turns) == 0 {
		return false, err //nolint:wrapcheck // says what could not be read
	}
	return words(path.TurnOf(now, "", false)) != words(turns[len(turns)-1]), nil
}

// generation is that of the next answer to a question, asked for where one stands. The
// alternatives of a generation answer the same words: where the question reads otherwise
// by now it is the newest generation, or the next.
func (b *Bot) generation(ctx context.Context, question mention, stands, newest *store.Response) (int, error) {
	for _, of := range []*store.Response{stands, newest} {
		otherwise, err := b.readsOtherwise(ctx, question, of)
		if err != nil {
			return stands.Generation, err
		}
		if !otherwise {
			return of.Generation, nil
		}
	}
	return newest.Generation + 1, nil
}

// words are what a person wrote in a turn, without what is attached.
func words(turn path.Turn) string {
	for _, part := range turn.Parts {
		if text, ok := part.(path.Text); ok {
			return string(text)
		}
	}
	return ""
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
