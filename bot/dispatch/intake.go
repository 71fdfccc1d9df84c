package dispatch

import (
	"context"
	"fmt"
	"log/slog"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Gate decides which messages that ask heddle are answered; gate.Gate does. Its methods
// do not wait.
type Gate interface {
	// Asks reports whether a message asks heddle. It is given every message.
	Asks(m *discord.Message, place guilds.Place) bool
	// TurnAway reports whether a message is not to be answered, and returns what to do
	// instead, or nil for nothing.
	TurnAway(m *discord.Message, by gate.Asker, place guilds.Place) (do func(context.Context, *slog.Logger) error, away bool)
	// Refused tells the asker, if known, that Discord does not let heddle answer.
	Refused(ctx context.Context, log *slog.Logger, at outbox.To, person graph.UserID, place guilds.Place) error
	Admission
}

// Admission decides who may ask; gate.Gate does.
type Admission interface {
	// Permits reports whether somebody may ask.
	Permits(by gate.Asker) bool
	// NeedsRoles reports whether an asker's roles decide whether they may ask, and are
	// not known.
	NeedsRoles(by gate.Asker) bool
	// OptedOut reports whether a person has opted out, so that nothing they write may
	// be used.
	OptedOut(person graph.UserID) bool
}

// Members returns what is known of the members of guilds; guilds.Permissions does.
type Members interface {
	Member(ctx context.Context, guild graph.GuildID, user graph.UserID) (discord.Member, error)
}

// intake examines messages as they come in. It finds out where they were written and asks
// the gate whether to answer.
type intake struct {
	guilds  *guilds.Cache
	gate    Gate // nil: everybody is answered
	members Members
	rest    REST
}

// asks reports whether a new message asks heddle.
func (i *intake) asks(m *discord.Message, place guilds.Place) bool {
	if i.gate == nil {
		return place.IsAsked(m)
	}
	return i.gate.Asks(m, place)
}

// optedOut reports whether a person has opted out.
func (i *intake) optedOut(person graph.UserID) bool { return i.gate != nil && i.gate.OptedOut(person) }

// permits reports whether somebody may ask. A nil member means that their roles are not
// known.
func (i *intake) permits(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) bool {
	return i.gate == nil || i.gate.Permits(i.asker(guild, channel, user, member))
}

func (i *intake) asker(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) gate.Asker {
	return gate.AskerOf(user, guild, channel, i.guilds.Place(channel, guild).Parent, member)
}

// identify adds the roles of its author to a message that was read rather than heard,
// if they decide whether it is answered. Somebody who has left the guild has no roles.
func (i *intake) identify(ctx context.Context, guild graph.GuildID, m *discord.Message) error {
	if i.gate == nil || i.members == nil || !i.gate.NeedsRoles(i.asker(guild, m.Channel, m.Author.ID, m.Member)) {
		return nil
	}
	member, err := i.members.Member(ctx, guild, m.Author.ID)
	switch {
	case discord.IsNotFound(err):
	case err != nil:
		return fmt.Errorf("find out whether %s may ask: %w", m.Author.ID, err)
	default:
		m.Member = &member
	}
	return nil
}

// tellRefused tells the asker of a question that heddle may not answer where it was
// asked.
func (i *intake) tellRefused(ctx context.Context, log *slog.Logger, q conversation.Question, by asker) {
	if i.gate == nil {
		return
	}
	if err := i.gate.Refused(ctx, log, outbox.To{Channel: q.Channel, Trigger: q.ID}, by.person, q.Place); err != nil {
		log.Log(ctx, work.LogLevel(err), "somebody could not be told that heddle may not answer where they asked", "error", err)
	}
}

// turnsAway reports whether a message is not to be answered, and returns the task of
// doing something else instead, or nil for nothing. guild is 0 for a direct message.
func (i *intake) turnsAway(log *slog.Logger, m *discord.Message, guild graph.GuildID, place guilds.Place, key store.ClaimKey) (t *task, away bool) {
	if i.gate == nil {
		return nil, false
	}
	by := i.asker(guild, m.Channel, m.Author.ID, m.Member)
	do, away := i.gate.TurnAway(m, by, place)
	if do == nil {
		return nil, away
	}
	return &task{
		key: key, channel: m.Channel, asked: m.ID.Time(), log: log.With("trigger", m.ID, "channel", m.Channel),
		do: func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) {
			return answer.Dropped, do(ctx, log)
		},
	}, true
}

// isReported reports whether the gateway has reported a guild to this process. It reports
// true for 0, the guild of direct messages.
func (i *intake) isReported(guild graph.GuildID) bool {
	return guild == 0 || i.guilds.KnowsGuild(guild)
}

// meet looks up a channel that the gateway did not report with its guild, because it is
// an archived thread. It reports whether the channel is known now.
func (i *intake) meet(ctx context.Context, guild graph.GuildID, channel graph.ChannelID) (known bool, err error) {
	if guild == 0 || i.guilds.Knows(channel) {
		return true, nil
	}
	if !i.guilds.KnowsGuild(guild) {
		return false, nil // the shard of the guild runs in another process
	}
	raw, err := i.rest.Get(ctx, "/channels/"+channel.String(), nil)
	if err != nil {
		return false, err
	}
	thread, err := discord.DecodeChannel(raw)
	if err != nil {
		return false, err
	}
	i.guilds.Meet(thread, guild)
	return i.guilds.Knows(channel), nil
}
