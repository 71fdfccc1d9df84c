package guilds

import (
	"sync"

	"heddle/graph"
	"heddle/internal/discord"
)

// Cache holds every guild's roles and channels as the gateway last reported them, and
// no messages. Its methods may be called from any goroutine.
//
// mu guards reported; it is never held over I/O.
type Cache struct {
	members members // has a lock of its own

	mu       sync.RWMutex
	reported reported
}

// New returns an empty cache.
func New() *Cache { return &Cache{reported: newReported(), members: newMembers()} }

// Place returns the description of a channel. A channel that the gateway has not
// reported, such as a direct message, has a scope of its own.
func (c *Cache) Place(channel graph.ChannelID, guild graph.GuildID) Place {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.reported.place(channel, guild)
}

// PlaceOf returns the description of the channel of an interaction. The gateway does
// not report a channel that heddle may not view. In that case PlaceOf uses the
// permissions in the interaction.
func (c *Cache) PlaceOf(i *discord.Interaction) Place {
	c.Meet(i.At, i.Guild)
	p := c.Place(i.Channel, i.Guild)
	if i.Foreign && !c.KnowsGuild(i.Guild) {
		p.Foreign, p.NoHistory, p.Direct = true, true, false
		return p
	}
	if i.Guild == 0 || c.Knows(i.Channel) || !c.KnowsGuild(i.Guild) {
		return p
	}
	p.NoHistory = !i.Own.MayRead(i.At.Type)
	p.Lacks = discord.PermissionsToAnswer(i.At.Type) &^ i.Own
	if !i.Own.Has(discord.PermissionViewChannel) {
		p.Lacks = discord.PermissionViewChannel // the others follow from it
	}
	return p
}

// Knows reports whether the gateway reported a channel.
func (c *Cache) Knows(channel graph.ChannelID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.reported.channels[channel]
	return ok
}

// GuildOf returns the guild of a channel that the gateway has reported, and 0 for any
// other channel, such as a direct message.
func (c *Cache) GuildOf(channel graph.ChannelID) graph.GuildID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.reported.channels[channel].Guild
}

// Locale returns the preferred language of a channel's guild. It is empty for a channel
// that the gateway has not reported, such as a direct message.
func (c *Cache) Locale(channel graph.ChannelID) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.reported.guilds[c.reported.channels[channel].Guild].Locale
}

// KnowsGuild reports whether the gateway has reported a guild, on this connection or an
// earlier one.
func (c *Cache) KnowsGuild(guild graph.GuildID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.reported.guilds[guild]
	return ok
}

// Count returns the number of guilds that the gateway has reported.
func (c *Cache) Count() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.reported.guilds)
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
