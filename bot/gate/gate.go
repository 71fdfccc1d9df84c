package gate

import (
	"context"
	"fmt"
	"log/slog"

	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
)

// Replier sends replies; outbox.Outbox does.
type Replier interface {
	Reply(ctx context.Context, to outbox.To, text string) ([]outbox.Sent, error)
}

// Gate decides which messages that ask heddle are answered. Its methods may be called
// from any goroutine.
type Gate struct {
	people   *People
	bots     bots
	wishes   wishes
	settings Settings
	outbox   Replier
}

// New returns a gate that turns away people who opted out, and whom the settings do not
// permit.
func New(people *People, out Replier, settings Settings) *Gate {
	return &Gate{
		people: people, wishes: newWishes(), settings: settings, outbox: out,
		bots: bots{allowed: settings.Bots, most: settings.BotTurns, asked: make(map[graph.ChannelID][]graph.MessageID)},
	}
}

// OptedOut reports whether a person opted out.
func (g *Gate) OptedOut(person graph.UserID) bool { return g.people.OptedOut(person) }

// Permits reports whether the settings let somebody ask.
func (g *Gate) Permits(by Asker) bool { return g.settings.permits(by) }

// NeedsRoles reports whether an asker's roles decide whether they may ask, and are not
// known.
func (g *Gate) NeedsRoles(by Asker) bool { return g.settings.needsRoles(by) }

// Asks reports whether a message asks heddle. It has to be given every message, so that
// bots which answer each other come to an end.
func (g *Gate) Asks(m *discord.Message, place guilds.Place) bool {
	g.bots.heard(m)
	return place.IsAsked(m) || place.IsAskedByBot(m) && g.bots.mayAsk(m)
}

// TurnAway reports whether a message that asks heddle is not to be answered, and returns
// what is done instead; nil for nothing. People who opted out are told so. Whoever
// wishes to opt out or in has their wish fulfilled, permitted or not. Others who are not
// permitted are told in direct messages alone.
func (g *Gate) TurnAway(m *discord.Message, by Asker, place guilds.Place) (do func(context.Context, *slog.Logger) error, away bool) {
	wished := g.wishes.in(m, place.Self)
	switch {
	case wished != wishNothing && !m.Author.Bot:
	case !g.settings.permits(by):
		if !place.Direct {
			return nil, true
		}
		return g.saying(m, place, func(context.Context, *slog.Logger) phrases.ID { return phrases.NotPermitted }), true
	case !g.people.OptedOut(by.User):
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

// saying returns what replies to a message with the phrase that said returns.
func (g *Gate) saying(m *discord.Message, place guilds.Place, said func(context.Context, *slog.Logger) phrases.ID) func(context.Context, *slog.Logger) error {
	to := outbox.To{Channel: m.Channel, Trigger: m.ID}
	if !m.Edited.IsZero() { // its first version may have been answered
		to.Generation = int(m.Edited.Unix())
	}
	return func(ctx context.Context, log *slog.Logger) error {
		if _, err := g.outbox.Reply(ctx, to, phrases.In(place.Locale).Say(phrases.Phrase{ID: said(ctx, log)}.OrAsk(g.settings.Contact))); err != nil {
			return fmt.Errorf("tell somebody why they are not answered: %w", err)
		}
		return nil
	}
}
