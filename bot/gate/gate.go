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
	people *People
	outbox Replier
}

// New returns a gate that turns away people who opted out.
func New(people *People, out Replier) *Gate { return &Gate{people, out} }

// OptedOut reports whether a person opted out.
func (g *Gate) OptedOut(person graph.UserID) bool { return g.people.OptedOut(person) }

// TurnAway returns what is done in place of answering a message that asks heddle, or
// nil if the message is to be answered. People who opted out are told so, and whoever
// wishes to opt out or in has their wish fulfilled.
func (g *Gate) TurnAway(m *discord.Message, place guilds.Place) func(context.Context, *slog.Logger) error {
	wished, person := wishIn(m, place.Self), m.Author.ID
	if wished == wishNothing && !g.people.OptedOut(person) {
		return nil
	}
	to := outbox.To{Channel: m.Channel, Trigger: m.ID}
	if !m.Edited.IsZero() { // its first version may have been answered
		to.Generation = int(m.Edited.Unix())
	}
	return func(ctx context.Context, log *slog.Logger) error {
		said, err := g.people.fulfil(ctx, wished, person)
		if err != nil {
			log.Log(ctx, work.LogLevel(err), "a person's wish about what heddle reads could not be fulfilled whole, they are told", "error", err)
			said = phrases.WishFailed
		}
		if _, err := g.outbox.Reply(ctx, to, said); err != nil {
			return fmt.Errorf("tell somebody whether heddle reads them: %w", err)
		}
		return nil
	}
}
