package dispatch

import (
	"context"
	"fmt"

	"heddle/bot/gate"
	"heddle/graph"
	"heddle/internal/discord"
)

func (d *answerer) asker(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) gate.Asker {
	return gate.Asker{User: user, Guild: guild, Channel: channel, Parent: d.guilds.Place(channel, guild).Parent, Member: member}
}

// identify adds the roles of its author to a message that was read rather than heard,
// if they decide whether it is answered. Somebody who has left the guild has no roles.
func (d *answerer) identify(ctx context.Context, guild graph.GuildID, m *discord.Message) error {
	if !d.gate.NeedsRoles(d.asker(guild, m.Channel, m.Author.ID, m.Member)) {
		return nil
	}
	member, err := d.guilds.Member(ctx, guild, m.Author.ID)
	switch {
	case discord.IsNotFound(err):
	case err != nil:
		return fmt.Errorf("find out whether %s may ask: %w", m.Author.ID, err)
	default:
		m.Member = &member
	}
	return nil
}

// isReported reports whether the gateway has reported a guild to this process. It reports
// true for 0, the guild of direct messages.
func (d *answerer) isReported(guild graph.GuildID) bool {
	return guild == 0 || d.guilds.KnowsGuild(guild)
}

// meetChannel looks up a channel that the gateway did not report with its guild, because it is
// an archived thread. It reports whether the channel is known now.
func (d *answerer) meetChannel(ctx context.Context, guild graph.GuildID, channel graph.ChannelID) (known bool, err error) {
	if guild == 0 || d.guilds.Knows(channel) {
		return true, nil
	}
	if !d.guilds.KnowsGuild(guild) {
		return false, nil // the shard of the guild runs in another process
	}
	raw, err := d.reader.rest.Get(ctx, "/channels/"+channel.String(), nil)
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
