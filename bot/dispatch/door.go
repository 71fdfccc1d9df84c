package dispatch

import (
	"context"
	"fmt"
	"log/slog"

	"heddle/bot/answer"
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
	// TurnAway reports whether a message is not to be answered, and returns what is done
	// instead; nil for nothing.
	TurnAway(m *discord.Message, by gate.Asker, place guilds.Place) (do func(context.Context, *slog.Logger) error, away bool)
	// Refused tells whoever asked, if they are known, that Discord lets heddle not answer.
	Refused(ctx context.Context, log *slog.Logger, at outbox.To, person graph.UserID, place guilds.Place) error
	Admission
}

// Admission decides who may ask; gate.Gate does.
type Admission interface {
	// Permits reports whether somebody may ask.
	Permits(by gate.Asker) bool
	// NeedsRoles reports whether the roles of an asker decide, and are not known.
	NeedsRoles(by gate.Asker) bool
	// OptedOut reports whether nothing that a person writes may be used.
	OptedOut(person graph.UserID) bool
}

// Members knows who somebody is in a guild; guilds.Permissions does.
type Members interface {
	Member(ctx context.Context, guild graph.GuildID, user graph.UserID) (discord.Member, error)
}

// door is where messages come in: the place that they are in, and the gate.
type door struct {
	guilds  *guilds.Cache
	gate    Gate // nil: everybody is answered
	members Members
	rest    REST
}

// asks reports whether a new message asks heddle.
func (d *door) asks(m *discord.Message, place guilds.Place) bool {
	if d.gate == nil {
		return place.IsAsked(m)
	}
	return d.gate.Asks(m, place)
}

// isClosedTo reports whether nothing that a person writes may be used.
func (d *door) isClosedTo(person graph.UserID) bool { return d.gate != nil && d.gate.OptedOut(person) }

// permits reports whether somebody who is a member, if that is told, may ask.
func (d *door) permits(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) bool {
	return d.gate == nil || d.gate.Permits(d.asker(guild, channel, user, member))
}

func (d *door) asker(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) gate.Asker {
	return gate.AskerOf(user, guild, channel, d.guilds.Place(channel, guild).Parent, member)
}

// identify completes a message of a guild that was read, and not heard, by the roles of
// its author if these decide whether it is answered. Whoever has left the guild has none.
func (d *door) identify(ctx context.Context, guild graph.GuildID, m *discord.Message) error {
	if d.gate == nil || d.members == nil || !d.gate.NeedsRoles(d.asker(guild, m.Channel, m.Author.ID, m.Member)) {
		return nil
	}
	member, err := d.members.Member(ctx, guild, m.Author.ID)
	switch {
	case discord.IsNotFound(err):
	case err != nil:
		return fmt.Errorf("find out whether %s may ask: %w", m.Author.ID, err)
	default:
		m.Member = &member
	}
	return nil
}

// tellRefused tells whoever asked a question that heddle may not answer it where it was
// asked.
func (d *door) tellRefused(ctx context.Context, log *slog.Logger, q answer.Question, by asker) {
	if d.gate == nil {
		return
	}
	if err := d.gate.Refused(ctx, log, outbox.To{Channel: q.Channel, Trigger: q.ID}, by.person, q.Place); err != nil {
		log.Log(ctx, work.LogLevel(err), "somebody could not be told that heddle may not answer where they asked", "error", err)
	}
}

// Ignores reports whether nothing that a person does may be used.
func (d *Dispatcher) Ignores(person graph.UserID) bool { return d.door.isClosedTo(person) }

// turnsAway reports whether a message in a guild, or in a direct message, is not to be
// answered, and returns the task of doing something else; nil for nothing.
func (d *Dispatcher) turnsAway(m *discord.Message, guild graph.GuildID, place guilds.Place, key store.ClaimKey) (t *task, away bool) {
	if d.door.gate == nil {
		return nil, false
	}
	by := d.door.asker(guild, m.Channel, m.Author.ID, m.Member)
	do, away := d.door.gate.TurnAway(m, by, place)
	if do == nil {
		return nil, away
	}
	return &task{
		key: key, channel: m.Channel, asked: m.ID.Time(), log: d.log.With("trigger", m.ID, "channel", m.Channel),
		do: func(ctx context.Context, log *slog.Logger) (answer.Outcome, error) {
			return answer.Dropped, do(ctx, log)
		},
	}, true
}

// soon performs a task of a message that waits for no answer in the channel; nil is none.
func (d *Dispatcher) soon(message graph.MessageID, t *task) {
	if t == nil {
		return
	}
	err := d.presses.push(press{message: message}, job{run: func(ctx context.Context) { d.perform(ctx, t) }})
	if err != nil {
		d.log.Warn("a message is ignored", "trigger", message, "error", err)
	}
}

// meet makes a channel known that the gateway did not report although it reported the
// channel's guild: a thread that was archived. It reports whether the channel is known then.
func (d *door) meet(ctx context.Context, guild graph.GuildID, channel graph.ChannelID) (known bool, err error) {
	if guild == 0 || d.guilds.Knows(channel) {
		return true, nil
	}
	if !d.guilds.KnowsGuild(guild) {
		return false, nil // another process has its shard
	}
	raw, err := d.rest.Get(ctx, "/channels/"+channel.String(), nil)
	if err != nil {
		return false, err
	}
	thread, err := discord.DecodeChannel(raw)
	if err != nil {
		return false, err
	}
	d.guilds.Meet(thread, guild)
	return d.guilds.Knows(channel), nil
}
