package commands

import (
	"context"
	"errors"
	"strings"
	"time"

	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// Ratings records what people think of answers. A 👍 or 👎 on any message of an answer
// rates it until the reaction is removed.
type Ratings struct {
	Store   *store.Ratings
	Guilds  *guilds.Cache
	History *fetch.History
}

// Reacted returns the change to the store that a reaction event makes, or nil if it makes
// none. The caller must make the change after the answer has been recorded.
func (s *Ratings) Reacted(event string, reaction *discord.Reaction, scope store.Scope) func(context.Context) error {
	good, rates := verdict(reaction.Emoji)
	if event != "MESSAGE_REACTION_REMOVE_ALL" && !rates || !s.mayRate(reaction) {
		return nil
	}
	message := reaction.Message
	rating := store.Rating{Message: message, Person: reaction.User, Good: good, At: time.Now()}
	if event == "MESSAGE_REACTION_ADD" {
		return func(ctx context.Context) error { return s.rate(ctx, scope, rating) }
	}
	return func(ctx context.Context) error {
		return s.Store.Unrate(ctx, scope, message, func(given store.Rating) bool {
			return (rating.Person == 0 || given.Person == rating.Person) && (!rates || given.Good == rating.Good)
		})
	}
}

// rate stores and counts a rating. It does nothing if the message is no answer, or one
// that is no longer known.
func (s *Ratings) rate(ctx context.Context, scope store.Scope, rating store.Rating) error {
	err := s.Store.Rate(ctx, scope, rating)
	switch {
	case errors.Is(err, store.ErrForgotten):
		return nil
	case err != nil:
		return err
	case rating.Good:
		telemetry.Rated(ctx, telemetry.Good)
	default:
		telemetry.Rated(ctx, telemetry.Bad)
	}
	return nil
}

// mayRate reports whether a reaction may be a person's to an answer of heddle's, as far
// as is known without asking Discord.
func (s *Ratings) mayRate(r *discord.Reaction) bool {
	self := s.Guilds.Self().ID
	if r.Bot || r.User == self || r.Author != 0 && r.Author != self {
		return false
	}
	held, known := s.History.Message(r.Channel, r.Message)
	return !known || held.Origin == graph.OriginSelf
}

// verdict parses an emoji as a rating: 👍 or 👎, in any skin tone.
func verdict(emoji string) (good, ok bool) {
	thumb := strings.TrimRight(emoji, "\uFE0F🏻🏼🏽🏾🏿")
	return thumb == "👍", thumb == "👍" || thumb == "👎"
}
