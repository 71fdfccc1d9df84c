package gate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
)

// Outbox sends; outbox.Outbox does.
type Outbox interface {
	// Direct returns the channel of direct messages with a person. It fails with
	// outbox.ErrCannotDM if they take none.
	Direct(ctx context.Context, person graph.UserID) (graph.ChannelID, error)
	Reply(ctx context.Context, to outbox.To, text string) ([]outbox.Sent, error)
}

// Gate decides which messages that ask heddle are answered. Its methods may be called
// from any goroutine.
type Gate struct {
	people   *People
	bots     bots
	wishes   wishes
	settings Settings
	outbox   Outbox
	lacking  *lacking
}

// New returns a gate that turns away people who opted out, and whom the settings do not
// permit.
func New(people *People, out Outbox, settings Settings) *Gate {
	return &Gate{
		people: people, wishes: newWishes(), settings: settings, outbox: out, lacking: newLacking(out),
		bots: bots{allowed: settings.Bots, most: settings.BotTurns, asked: make(map[graph.ChannelID][]graph.MessageID)},
	}
}

// OptedOut reports whether a person opted out.
func (g *Gate) OptedOut(person graph.UserID) bool { return g.people.OptedOut(person) }

// Permits reports whether the settings let somebody ask.
func (g *Gate) Permits(by Asker) bool { return g.settings.permits(by) }

// NeedsRoles reports whether an asker's roles decide whether they may ask, and are not
// known yet.
func (g *Gate) NeedsRoles(by Asker) bool { return g.settings.needsRoles(by) }

// Asks reports whether a message asks heddle. It must be called for every message, as
// bots that answer each other are counted here.
func (g *Gate) Asks(m *discord.Message, place guilds.Place) bool {
	g.bots.heard(m)
	return place.IsAsked(m) || place.IsAskedByBot(m) && g.bots.mayAsk(m)
}

// TurnAway reports whether a message that asks heddle is not to be answered, and
// returns what to do instead, or nil for nothing.
//
// People who opted out are told so. A wish to opt out or in is fulfilled, whether or
// not its author may ask. Anybody else who may not ask is told so in direct messages
// only. Where heddle may not write, the asker learns in a direct message which
// permissions it lacks.
func (g *Gate) TurnAway(m *discord.Message, by Asker, place guilds.Place) (do func(context.Context, *slog.Logger) error, away bool) {
	wished := g.wishes.in(m, place.Self)
	switch {
	case wished != wishNothing && !m.Author.Bot:
	case !g.settings.permits(by):
		if !place.Direct {
			return nil, true
		}
		return g.saying(m, place, func(context.Context, *slog.Logger) phrases.ID { return phrases.NotPermitted }), true
	case g.people.OptedOut(by.User):
	case !place.MayAnswer():
		return g.lacking.telling(replyTo(m), by.User, place, place.Lacks), true
	default:
		g.lacking.has(m.Channel)
		return nil, false
	}
	return g.saying(m, place, func(ctx context.Context, log *slog.Logger) phrases.ID {
		said, err := g.people.fulfil(ctx, wished, by.User)
		if err != nil {
			log.Log(ctx, work.LogLevel(err), "a person's wish about what heddle reads could not be fulfilled whole, they are told", "error", err)
			return phrases.WishFailed
		}
		return said
	}), true
}

// saying returns a function that replies to a message with the phrase that said
// returns.
func (g *Gate) saying(m *discord.Message, place guilds.Place, said func(context.Context, *slog.Logger) phrases.ID) func(context.Context, *slog.Logger) error {
	to := replyTo(m)
	return func(ctx context.Context, log *slog.Logger) error {
		text := phrases.In(place.Locale).Say(phrases.Phrase{ID: said(ctx, log)}.OrAsk(g.settings.Contact))
		_, err := g.outbox.Reply(ctx, to, text)
		switch {
		case errors.Is(err, outbox.ErrNoPermission):
			return g.lacking.direct(ctx, log, to, m.Author.ID, text)
		case err != nil:
			return fmt.Errorf("tell somebody why they are not answered: %w", err)
		}
		return nil
	}
}

// replyTo returns the destination of a reply to a message.
func replyTo(m *discord.Message) outbox.To {
	to := outbox.To{Channel: m.Channel, Trigger: m.ID}
	if !m.Edited.IsZero() { // its first version may have been answered already
		to.Generation = int(m.Edited.Unix())
	}
	return to
}

// Refused tells the asker, if known, that Discord does not let heddle answer in a
// place. If heddle seems to have every permission that it needs, Refused names the
// permission to send messages.
func (g *Gate) Refused(ctx context.Context, log *slog.Logger, at outbox.To, person graph.UserID, place guilds.Place) error {
	tell := g.lacking.telling(at, person, place, place.Lacks|place.Writes())
	if place.MayAnswer() {
		g.lacking.refused(at.Channel)
	}
	if tell == nil {
		return nil
	}
	return tell(ctx, log)
}
