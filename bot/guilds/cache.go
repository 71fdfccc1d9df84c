package guilds

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph"
	"heddle/internal/discord"
)

// Cache holds every guild's roles and channels as the gateway last reported them, and
// no messages. By them it decides who may read what; it asks Discord about a member if
// neither they nor a recent event is enough. Its methods may be called from any goroutine.
//
// mu guards reported; it is never held over I/O.
type Cache struct {
	rest *discord.REST
	// members holds people's memberships from when they last wrote or pressed something, so
	// that Discord need not be asked. It has a lock of its own.
	members *lru.Cache[memberKey, met]

	mu       sync.RWMutex
	reported reported
}

// New returns an empty cache.
func New(rest *discord.REST) *Cache {
	members, _ := lru.New[memberKey, met](mostMembers) // the size is positive
	return &Cache{rest: rest, reported: newReported(), members: members}
}

// Place returns the description of a channel. A channel that the gateway has not
// reported, such as a direct message, has a scope of its own.
func (c *Cache) Place(channel graph.ChannelID, guild graph.GuildID) Place {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.reported.place(channel, guild)
}

// PlaceOf returns the description of the channel of an interaction. The gateway hides a
// channel that heddle may not view. In that case PlaceOf uses the names and the
// permissions in the interaction.
func (c *Cache) PlaceOf(i *discord.Interaction) Place {
	c.Meet(i.At, i.Guild)
	p := c.Place(i.Channel, i.Guild)
	if i.Foreign && !c.KnowsGuild(i.Guild) {
		p.Foreign, p.NoHistory, p.Direct = true, true, false
		return p
	}
	if i.Guild == 0 || !c.KnowsGuild(i.Guild) || c.Knows(i.Channel) && !c.hidden(i.Channel) {
		return p
	}
	p.Named.Channel, p.Named.Topic = i.At.Name, i.At.Topic
	p.NoHistory = !i.Own.MayRead(i.At.Type)
	p.Lacks = discord.PermissionsToAnswer(i.At.Type) &^ i.Own
	if !i.Own.Has(discord.PermissionViewChannel) {
		p.Lacks = discord.PermissionViewChannel // the others follow from it
	}
	return p
}

// Knows reports whether the gateway reported a channel of a guild.
func (c *Cache) Knows(channel graph.ChannelID) bool { return c.GuildOf(channel) != 0 }

// GuildOf returns the guild of a channel that the gateway has reported, and 0 for any
// other channel, such as a direct message.
func (c *Cache) GuildOf(channel graph.ChannelID) graph.GuildID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.reported.channels[channel].Guild
}

// hidden reports whether the gateway hides a channel, or the parent of a thread.
func (c *Cache) hidden(channel graph.ChannelID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	known := c.reported.channels[channel]
	return known.Hidden || c.reported.channels[known.Parent].Hidden
}

// KnowsGuild reports whether the gateway has reported a guild, on this connection or an
// earlier one.
func (c *Cache) KnowsGuild(guild graph.GuildID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.reported.guilds[guild]
	return ok
}

// IsIn reports whether the gateway has named a guild as one that heddle is in, and has not named
// it as left since.
func (c *Cache) IsIn(guild graph.GuildID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.reported.in[guild]
}

// Self returns heddle's own account, or the zero User before READY.
func (c *Cache) Self() discord.User {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.reported.me
}

// surroundings returns a guild's channel with its guild and, for a thread, its parent.
// It reports false for a channel that the gateway has not reported.
func (c *Cache) surroundings(channel graph.ChannelID) (home discord.Guild, at, parent discord.Channel, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	at, ok := c.reported.channels[channel]
	home, known = c.reported.guilds[at.Guild]
	return home, at, c.reported.channels[at.Parent], ok && known
}

const (
	// mostMembers bounds the members that are remembered. Discord is asked about
	// others.
	mostMembers = 8192
	// memberFor is how long a membership that came with an event counts as current. It
	// is short because Discord does not report changes of members without a privileged
	// intent.
	memberFor = time.Minute
)

type memberKey struct {
	guild graph.GuildID
	user  graph.UserID
}

// met is a membership as an event showed it.
type met struct {
	member discord.Member
	at     time.Time
	in     graph.ChannelID
	always bool // it does not change
}

// Met remembers a member who wrote or pressed something in a channel. It ignores a nil
// member, as in direct messages and over REST.
func (c *Cache) Met(guild graph.GuildID, channel graph.ChannelID, user graph.UserID, member *discord.Member) {
	if guild != 0 && user != 0 && member != nil {
		c.members.Add(memberKey{guild, user}, met{member: *member, at: time.Now(), in: channel})
	}
}

// MetWebhook remembers a webhook, which speaks for people who are no members. It may read what
// @everyone may.
func (c *Cache) MetWebhook(guild graph.GuildID, webhook graph.UserID) {
	c.members.Add(memberKey{guild, webhook}, met{always: true})
}
