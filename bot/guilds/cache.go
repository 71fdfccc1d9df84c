// Package guilds holds what the gateway reported about guilds, their roles and
// channels. It computes from it the scope of a channel, what heddle and others may read
// in it, and under which user and roles heddle is there.
package guilds

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/lru"
	"heddle/store"
)

// Cache holds every guild's roles and channels as the gateway last reported them, and
// no messages. Its methods may be called from any goroutine.
//
// mu guards all fields; it is never held over I/O.
type Cache struct {
	mu       sync.RWMutex
	me       discord.User
	guilds   map[graph.GuildID]discord.Guild // without channels and threads; of the members only heddle
	channels map[graph.ChannelID]discord.Channel
	archived *lru.Cache[graph.ChannelID, struct{}] // the archived threads among channels
	members  members                               // has a lock of its own
}

// mostArchived bounds the archived threads that are held, because their number keeps
// growing. Dropping one is safe: Discord reports a thread again before anybody writes
// in it.
const mostArchived = 1 << 14

// New returns an empty cache.
func New() *Cache {
	return &Cache{
		guilds: make(map[graph.GuildID]discord.Guild), channels: make(map[graph.ChannelID]discord.Channel),
		archived: lru.New[graph.ChannelID, struct{}](mostArchived + 1), members: newMembers(),
	}
}

// Place describes a channel to answer in.
type Place struct {
	Scope  store.Scope
	Direct bool            // a direct message, where every message is a question
	Parent graph.ChannelID // of a thread; zero elsewhere
	// Starter is the channel of the message that a thread was started from. That
	// message has the same id as the thread. It stands in the thread's parent or, in a
	// forum post, in the thread itself.
	Starter       graph.ChannelID
	AgeRestricted bool // only adults may open it
	// NoHistory is set if heddle may not read earlier messages, but only those that the
	// gateway reports.
	NoHistory bool
	// Foreign is set if the asker has installed heddle for themselves and heddle is not
	// a member here. It then reads only what Discord passes along with a command.
	Foreign bool
	// Lacks are the permissions of discord.PermissionsToAnswer that heddle is known to lack.
	Lacks  discord.Permissions
	Self   Self
	Locale string // the language that the guild prefers; empty in a direct message
	Named  Named
}

// Named holds the names of a place. Unknown ones are empty. A thread has the names of
// its parent channel.
type Named struct{ Guild, Channel, Topic string }

// Place returns the description of a channel. A channel that the gateway has not
// reported, such as a direct message, has a scope of its own.
func (c *Cache) Place(channel graph.ChannelID, guild graph.GuildID) Place {
	c.mu.RLock()
	defer c.mu.RUnlock()
	known := c.channels[channel]
	if known.Guild != 0 {
		guild = known.Guild
	}
	p := Place{
		Scope:  store.ChannelScope(guild, channel),
		Direct: guild == 0 && (known.ID == 0 || known.Type.IsDirect()),
		Self:   Self{User: c.me.ID},
	}
	if known.Type.IsThread() {
		p.Parent, p.Starter = known.Parent, known.Parent
		if above := c.channels[known.Parent].Type; above == discord.ChannelForum || above == discord.ChannelMedia {
			p.Starter = channel
		}
		if known.Type != discord.ChannelPrivateThread {
			p.Scope = store.ChannelScope(guild, known.Parent)
		}
	}
	home, ok := c.guilds[guild]
	if !ok {
		return p
	}
	p.Locale = home.Locale
	p.Named = Named{home.Name, known.Name, known.Topic}
	if parent := c.channels[known.Parent]; known.Type.IsThread() && parent.ID != 0 {
		p.Named.Channel, p.Named.Topic = parent.Name, parent.Topic
	}
	p.Self.Role = managedRole(home, c.me.ID)
	if known.ID != 0 && !c.isAgeRestrictedLocked(known) && discord.EveryoneMayRead(home, known, c.channels[known.Parent]) {
		p.Scope = store.GuildScope(home.ID)
	}
	p.AgeRestricted = c.isAgeRestrictedLocked(known)
	if granted, ok := c.grantedLocked(home, known); ok {
		p.NoHistory = !granted.MayRead(known.Type)
		p.Lacks = discord.PermissionsToAnswer(known.Type) &^ granted
	}
	return p
}

// isAgeRestrictedLocked reports whether a channel, or the parent of a thread, is
// age-restricted. Messages from there must not be repeated elsewhere.
func (c *Cache) isAgeRestrictedLocked(channel discord.Channel) bool {
	return channel.AgeRestricted || channel.Type.IsThread() && c.channels[channel.Parent].AgeRestricted
}

// grantedLocked returns heddle's permissions in a channel. It reports false if heddle's
// membership, the channel or the parent of a thread is unknown.
func (c *Cache) grantedLocked(home discord.Guild, channel discord.Channel) (granted discord.Permissions, ok bool) {
	parent := c.channels[channel.Parent]
	if len(home.Members) == 0 || channel.ID == 0 || channel.Type.IsThread() && parent.ID == 0 {
		return 0, false
	}
	return discord.MemberPermissions(home, channel, parent, c.me.ID, home.Members[0], time.Now()), true
}

// LacksToRead returns the permissions that heddle lacks to read earlier messages. It is
// called after Discord refused to return them. If none are known to be missing, it
// returns Read Message History.
func (p *Place) LacksToRead() discord.Permissions {
	lacks := p.Lacks & (discord.PermissionViewChannel | discord.PermissionConnect | discord.PermissionReadHistory)
	return cmp.Or(lacks, discord.PermissionReadHistory)
}

// Writes returns the permission that writing in the place requires.
func (p *Place) Writes() discord.Permissions {
	if p.Parent != 0 {
		return discord.PermissionSendInThreads
	}
	return discord.PermissionSendMessages
}

// MayAnswer reports whether heddle lacks none of the permissions that writing in the
// place requires, as far as is known.
func (p *Place) MayAnswer() bool {
	return p.Lacks&(discord.PermissionViewChannel|discord.PermissionSendMessages|discord.PermissionSendInThreads) == 0
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
	_, ok := c.channels[channel]
	return ok
}

// GuildOf returns the guild of a channel that the gateway has reported, and 0 for any
// other channel, such as a direct message.
func (c *Cache) GuildOf(channel graph.ChannelID) graph.GuildID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.channels[channel].Guild
}

// Locale returns the preferred language of a channel's guild. It is empty for a channel
// that the gateway has not reported, such as a direct message.
func (c *Cache) Locale(channel graph.ChannelID) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.guilds[c.channels[channel].Guild].Locale
}

// KnowsGuild reports whether the gateway has reported a guild, on this connection or an
// earlier one.
func (c *Cache) KnowsGuild(guild graph.GuildID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.guilds[guild]
	return ok
}

// Count returns the number of guilds that the gateway has reported.
func (c *Cache) Count() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.guilds)
}

// Self returns heddle's own account, or the zero User before READY.
func (c *Cache) Self() discord.User {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.me
}

func managedRole(guild discord.Guild, user graph.UserID) graph.RoleID {
	for _, role := range guild.Roles {
		if role.Bot == user && user != 0 {
			return role.ID
		}
	}
	return 0
}

// Ready handles READY, which names heddle's account.
func (c *Cache) Ready(ready discord.Ready) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.me = ready.User
}

// Meet adds a thread that no event reported, such as an archived one. It does nothing
// if the thread's parent is unknown, because the parent determines the scope.
func (c *Cache) Meet(thread discord.Channel, guild graph.GuildID) {
	if thread.ID == 0 || guild == 0 || !thread.Type.IsThread() || c.Knows(thread.ID) || !c.Knows(thread.Parent) {
		return
	}
	thread.Guild = guild
	c.setChannel(thread)
}

// setGuild handles GUILD_CREATE and GUILD_UPDATE.
func (c *Cache) setGuild(guild discord.Guild) {
	channels := slices.Concat(guild.Channels, guild.Threads)
	guild.Channels, guild.Threads = nil, nil
	c.mu.Lock()
	defer c.mu.Unlock()
	guild.Members = slices.DeleteFunc(guild.Members, func(m discord.Member) bool { return m.User.ID != c.me.ID })
	if len(guild.Members) == 0 { // GUILD_UPDATE lists none
		guild.Members = c.guilds[guild.ID].Members
	}
	c.guilds[guild.ID] = guild
	for _, channel := range channels {
		c.putLocked(channel)
	}
}

// unlisted returns the channels of a guild that Discord's list of its channels lacks, with
// their threads: they were deleted while nobody heard. Threads that are archived are never
// listed. It returns none for a list without channels, as it tells nothing.
func unlisted(c *Cache, guild discord.Guild) []graph.ChannelID {
	if len(guild.Channels) == 0 {
		return nil
	}
	listed := make(map[graph.ChannelID]bool, len(guild.Channels)+len(guild.Threads))
	for _, channels := range [][]discord.Channel{guild.Channels, guild.Threads} {
		for i := range channels {
			listed[channels[i].ID] = true
		}
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	var gone []graph.ChannelID
	for id, channel := range c.channels {
		if channel.Guild != guild.ID || listed[id] || channel.Type.IsThread() && listed[channel.Parent] {
			continue
		}
		gone = append(gone, id)
	}
	slices.Sort(gone)
	return gone
}

// Forget forgets a channel that no longer exists, and returns it if it was known.
func (c *Cache) Forget(channel graph.ChannelID) []Lost {
	if !c.Knows(channel) {
		return nil
	}
	return c.dropChannels(channel)
}

// putLocked adds a channel. An archived thread is dropped when mostArchived others were
// archived after it.
func (c *Cache) putLocked(channel discord.Channel) {
	c.channels[channel.ID] = channel
	if !channel.Archived {
		c.archived.Remove(channel.ID)
		return
	}
	c.archived.Add(channel.ID, struct{}{})
	for c.archived.Len() > mostArchived {
		oldest, _, _ := c.archived.RemoveOldest()
		delete(c.channels, oldest)
	}
}

// removeLocked forgets a channel.
func (c *Cache) removeLocked(channel graph.ChannelID) {
	delete(c.channels, channel)
	c.archived.Remove(channel)
}

// Lost is a channel that heddle can no longer read, with the scope it had.
type Lost struct {
	Channel graph.ChannelID
	Scope   store.Scope
}

// dropGuild forgets a guild that heddle left and returns its channels.
func (c *Cache) dropGuild(guild graph.GuildID) []Lost {
	c.mu.RLock()
	var channels []graph.ChannelID
	for id, channel := range c.channels {
		if channel.Guild == guild {
			channels = append(channels, id)
		}
	}
	c.mu.RUnlock()
	slices.Sort(channels)
	gone := c.dropChannels(channels...)

	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.guilds, guild)
	return gone
}

// setChannel adds or updates a channel or thread.
func (c *Cache) setChannel(channel discord.Channel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if channel.Guild == 0 {
		channel.Guild = c.channels[channel.ID].Guild
	}
	c.putLocked(channel)
}

// SetThreads handles THREAD_LIST_SYNC. It replaces the active threads of the channels
// that the event covers, and returns the known threads of these channels that are no
// longer active.
func (c *Cache) SetThreads(sync discord.ThreadSync) []graph.ChannelID {
	c.mu.Lock()
	defer c.mu.Unlock()
	var gone []graph.ChannelID
	for id, known := range c.channels {
		if known.Guild == sync.Guild && known.Type.IsThread() && sync.About(known.Parent) &&
			!slices.ContainsFunc(sync.Threads, func(t discord.Channel) bool { return t.ID == id }) {
			gone = append(gone, id)
		}
	}
	for _, id := range gone {
		c.removeLocked(id)
	}
	for _, thread := range sync.Threads {
		c.putLocked(thread)
	}
	slices.Sort(gone)
	return gone
}

// dropChannels forgets channels and returns them with the scopes they had.
func (c *Cache) dropChannels(channels ...graph.ChannelID) []Lost {
	gone := make([]Lost, len(channels))
	for i, channel := range channels {
		gone[i] = Lost{channel, c.Place(channel, 0).Scope}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, channel := range channels {
		c.removeLocked(channel)
	}
	return gone
}

// setRole handles a role that was created, changed or deleted.
func (c *Cache) setRole(update discord.RoleUpdate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	guild, ok := c.guilds[update.Guild]
	if !ok {
		return
	}
	roles := slices.DeleteFunc(slices.Clone(guild.Roles), func(r discord.Role) bool { return r.ID == update.Role.ID })
	if !update.Gone {
		roles = append(roles, update.Role)
	}
	guild.Roles = roles
	c.guilds[update.Guild] = guild
}

// setMember handles GUILD_MEMBER_UPDATE. It updates heddle's own membership, and
// forgets what was remembered of any other member.
func (c *Cache) setMember(update discord.MemberUpdate) {
	c.members.met.Remove(memberKey{update.Guild, update.Member.User.ID})
	c.mu.Lock()
	defer c.mu.Unlock()
	guild, ok := c.guilds[update.Guild]
	if !ok || update.Member.User.ID != c.me.ID {
		return
	}
	guild.Members = []discord.Member{update.Member}
	c.guilds[update.Guild] = guild
}
