package guilds

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// REST reads from Discord; discord.REST is one.
type REST interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
	// Now returns Discord's time, by which members' timeouts end.
	Now() time.Time
}

// Permissions decides who may read a channel's history. It asks Discord about a member
// if neither the cache nor a recent event is enough to decide.
type Permissions struct {
	rest  REST
	cache *Cache
}

// NewPermissions returns permissions that are computed from cache.
func NewPermissions(rest REST, cache *Cache) *Permissions { return &Permissions{rest, cache} }

// Self returns heddle's own account, or the zero User before READY.
func (p *Permissions) Self() discord.User { return p.cache.Self() }

// Servers returns the number of guilds that the gateway has reported.
func (p *Permissions) Servers() int {
	p.cache.mu.RLock()
	defer p.cache.mu.RUnlock()
	return len(p.cache.reported.guilds)
}

// Scope returns the current scope of a channel.
func (p *Permissions) Scope(guild graph.GuildID, channel graph.ChannelID) store.Scope {
	return p.cache.Place(channel, guild).Scope
}

// MayReadHistory reports whether both a member and heddle may read the history of a
// guild's channel, or of a direct message if guild is 0.
func (p *Permissions) MayReadHistory(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error) {
	if p.cache.Place(channel, guild).NoHistory {
		return false, nil
	}
	return p.MayRead(ctx, guild, channel, user)
}

// MayRead reports whether a member may read the history of a guild's channel, or of a
// direct message if guild is 0. It makes a request only if the channel is not open to
// everyone and the member has not written or pressed anything in the last minute. It
// reports false for an unknown channel or member.
func (p *Permissions) MayRead(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, user graph.UserID) (bool, error) {
	if at := p.cache.Place(channel, guild); at.Direct || at.Scope == store.GuildScope(guild) {
		return true, nil
	}
	home, at, parent, known := p.cache.surroundings(channel)
	if !known {
		return false, nil
	}
	told, err := p.member(ctx, home.ID, user)
	if discord.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read a member: %w", err)
	}
	reader := discord.MemberIn{Guild: home, Channel: at, Parent: parent, User: user, Member: told.member, Now: p.rest.Now()}
	granted := reader.Permissions()
	switch {
	case !granted.MayRead(at.Type):
		return false, nil
	case at.Type != discord.ChannelPrivateThread, granted.Has(discord.PermissionManageThreads), told.in == channel:
		return true, nil
	}
	return p.isInThread(ctx, channel, user)
}

// member returns a member, from a recent event or else from Discord.
func (p *Permissions) member(ctx context.Context, guild graph.GuildID, user graph.UserID) (met, error) {
	if told, ok := p.cache.members.recent(guild, user); ok {
		return told, nil
	}
	raw, err := p.rest.Get(ctx, "/guilds/"+guild.String()+"/members/"+user.String(), nil)
	if err != nil {
		return met{}, err
	}
	member, err := discord.DecodeMember(raw)
	return met{member: member}, err
}

// Roles returns the roles of a guild's member, none in a direct message.
func (p *Permissions) Roles(ctx context.Context, guild graph.GuildID, user graph.UserID) ([]graph.RoleID, error) {
	if guild == 0 {
		return nil, nil
	}
	member, err := p.Member(ctx, guild, user)
	return member.Roles, err
}

// Member returns a guild's member, from an event of the last minute or else from
// Discord.
func (p *Permissions) Member(ctx context.Context, guild graph.GuildID, user graph.UserID) (discord.Member, error) {
	told, err := p.member(ctx, guild, user)
	if err != nil {
		return discord.Member{}, fmt.Errorf("read a member: %w", err)
	}
	return told.member, nil
}

// isInThread asks Discord whether a member is in a thread.
func (p *Permissions) isInThread(ctx context.Context, thread graph.ChannelID, user graph.UserID) (bool, error) {
	_, err := p.rest.Get(ctx, "/channels/"+thread.String()+"/thread-members/"+user.String(), nil)
	switch {
	case discord.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read who is in a thread: %w", err)
	}
	return true, nil
}
