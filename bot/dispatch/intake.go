package dispatch

import (
	"context"
	"fmt"
	"log/slog"

	"heddle/bot/conversation"
	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/internal/discord"
)

// intake examines messages as they come in. It finds out where they were written and asks
// the gate whether to answer.
type intake struct {
	guilds *guilds.Cache
	gate   *gate.Gate
	rest   REST
}

func (i *intake) asker(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) gate.Asker {
	return gate.Asker{User: user, Guild: guild, Channel: channel, Parent: i.guilds.Place(channel, guild).Parent, Member: member}
}

// identify adds the roles of its author to a message that was read rather than heard,
// if they decide whether it is answered. Somebody who has left the guild has no roles.
func (i *intake) identify(ctx context.Context, guild graph.GuildID, m *discord.Message) error {
	if !i.gate.NeedsRoles(i.asker(guild, m.Channel, m.Author.ID, m.Member)) {
		return nil
	}
	member, err := i.guilds.Member(ctx, guild, m.Author.ID)
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
	if err := i.gate.Refused(ctx, log, outbox.To{Channel: q.Channel, Trigger: q.ID}, by.person, q.Place); err != nil {
		log.Log(ctx, work.LogLevel(err), "somebody could not be told that heddle may not answer where they asked", "error", err)
	}
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
