package guilds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Servers returns the number of guilds that the gateway has reported.
func (c *Cache) Servers() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.reported.guilds)
}

// Scope returns the current scope of a channel.
func (c *Cache) Scope(guild graph.GuildID, channel graph.ChannelID) store.Scope {
	return c.Place(channel, guild).Scope
}

// Readable returns the channels of a guild that hold messages or threads and that heddle may read,
// without threads, the ones written in last first.
func Readable(c *Cache, guild graph.GuildID) []graph.ChannelID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	ids := c.reported.channelsWhere(guild, func(known discord.Channel) bool {
		return !known.Type.IsThread() && (known.Type.HasThreads() || known.Type.IsVoice()) && !c.reported.place(known.ID, guild).NoHistory
	})
	slices.SortStableFunc(ids, func(a, b graph.ChannelID) int {
		return cmp.Compare(c.reported.channels[b].Last, c.reported.channels[a].Last)
	})
	return ids
}

// MayReadHistory reports whether both a member and heddle may read the history of a
// guild's channel, or of a direct message if guild is 0.
func (c *Cache) MayReadHistory(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error) {
	if c.Place(channel, guild).NoHistory {
		return false, nil
	}
	return c.MayRead(ctx, guild, channel, user)
}

// MayRead reports whether a member may read the history of a guild's channel, or of a
// direct message if guild is 0. It makes a request only if the channel is not open to
// everyone and the member has not written or pressed anything in the last minute. It
// reports false for an unknown channel or member.
func (c *Cache) MayRead(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error) {
	if at := c.Place(channel, guild); at.Direct || at.Scope == store.GuildScope(guild) {
		return true, nil
	}
	home, at, parent, known := c.surroundings(channel)
	if !known {
		return false, nil
	}
	told, err := c.member(ctx, home.ID, user)
	if discord.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read a member: %w", err)
	}
	reader := discord.MemberIn{Guild: home, Channel: at, Parent: parent, User: user, Member: told.member, Now: c.rest.Now()}
	granted := reader.Permissions()
	switch {
	case !granted.MayRead(at.Type):
		return false, nil
	case at.Type != discord.ChannelPrivateThread, granted.Has(discord.PermissionManageThreads), told.in == channel:
		return true, nil
	}
	_, err = c.rest.Get(ctx, "/channels/"+channel.String()+"/thread-members/"+user.String(), nil)
	if err == nil || discord.IsNotFound(err) {
		return err == nil, nil
	}
	return false, fmt.Errorf("read who is in a thread: %w", err)
}

// member returns a member, from a recent event or else from Discord.
func (c *Cache) member(ctx context.Context, guild graph.GuildID, user graph.UserID) (met, error) {
	if told, ok := c.members.Get(memberKey{guild, user}); ok && (told.always || time.Since(told.at) < memberFor) {
		return told, nil
	}
	member, err := discord.Read[discord.Member](ctx, c.rest, "/guilds/"+guild.String()+"/members/"+user.String())
	return met{member: member}, err
}

// Roles returns the roles of a guild's member, none in a direct message.
func (c *Cache) Roles(ctx context.Context, guild graph.GuildID, user graph.UserID) ([]graph.RoleID, error) {
	if guild == 0 {
		return nil, nil
	}
	member, err := c.Member(ctx, guild, user)
	return member.Roles, err
}

// Member returns a guild's member, from an event of the last minute or else from
// Discord.
func (c *Cache) Member(ctx context.Context, guild graph.GuildID, user graph.UserID) (discord.Member, error) {
	told, err := c.member(ctx, guild, user)
	if err != nil {
		return discord.Member{}, fmt.Errorf("read a member: %w", err)
	}
	return told.member, nil
}
