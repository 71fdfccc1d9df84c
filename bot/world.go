package bot

import (
	"slices"
	"sync"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// world is what the gateway told of guilds, their roles and channels: enough to
// say who heddle is somewhere and what scope a channel belongs to. Text channels
// of every guild are held, messages are not.
//
// mu guards everything; it is never held over I/O.
type world struct {
	mu       sync.RWMutex
	me       discord.User
	guilds   map[graph.GuildID]discord.Guild // without channels and threads, of members heddle alone
	channels map[graph.ChannelID]discord.Channel
}

func newWorld() *world {
	return &world{guilds: make(map[graph.GuildID]discord.Guild), channels: make(map[graph.ChannelID]discord.Channel)}
}

// place is what has to be known about a channel to answer in it.
type place struct {
	scope  store.Scope
	direct bool            // a direct message, where everything said asks heddle
	parent graph.ChannelID // of a thread; zero elsewhere
	// starter is the channel that holds the message a thread started from, whose
	// id is the thread's: the parent, or of a forum's post the thread itself.
	starter graph.ChannelID
	// noHistory says that heddle may not read what was said before it listened.
	noHistory bool
	self      self
}

// place describes the channel of a message. A channel that nobody told of, a direct
// message's among them, is a scope of its own.
func (w *world) place(channel graph.ChannelID, guild graph.GuildID) place {
	w.mu.RLock()
	defer w.mu.RUnlock()
	known := w.channels[channel]
	if known.Guild != 0 {
		guild = known.Guild
	}
	p := place{
		scope:  store.ChannelScope(guild, channel),
		direct: guild == 0 && (known.ID == 0 || known.Type.IsDirect()),
		self:   self{user: w.me.ID},
	}
	if known.Type.IsThread() {
		p.parent, p.starter = known.Parent, known.Parent
		if above := w.channels[known.Parent].Type; above == discord.ChannelForum || above == discord.ChannelMedia {
			p.starter = channel
		}
		if known.Type != discord.ChannelPrivateThread {
			p.scope = store.ChannelScope(guild, known.Parent)
		}
	}
	home, ok := w.guilds[guild]
	if !ok {
		return p
	}
	p.self.role = managedRole(home, w.me.ID)
	if known.ID != 0 && discord.EveryoneMayRead(home, known, w.channels[known.Parent]) {
		p.scope = store.GuildScope(home.ID)
	}
	p.noHistory = len(home.Members) > 0 && w.deniesHistoryLocked(home, known)
	return p
}

// deniesHistoryLocked says whether heddle, a guild's only member that is held, is
// known not to have the permission to read a channel's history.
func (w *world) deniesHistoryLocked(home discord.Guild, channel discord.Channel) bool {
	parent := w.channels[channel.Parent]
	if channel.ID == 0 || channel.Type.IsThread() && parent.ID == 0 {
		return false // too little is known
	}
	return !discord.MemberPermissions(home, channel, parent, w.me.ID, home.Members[0]).Has(discord.PermissionReadHistory)
}

// knows says whether the gateway told of a channel.
func (w *world) knows(channel graph.ChannelID) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	_, ok := w.channels[channel]
	return ok
}

// self is heddle's own account; zero before READY.
func (w *world) self() discord.User {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.me
}

func managedRole(guild discord.Guild, user graph.UserID) graph.RoleID {
	for _, role := range guild.Roles {
		if role.Bot == user && user != 0 {
			return role.ID
		}
	}
	return 0
}

// ready takes READY: who heddle is.
func (w *world) ready(ready discord.Ready) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.me = ready.User
}

// setGuild takes GUILD_CREATE or GUILD_UPDATE and gives the channels it brought.
func (w *world) setGuild(guild discord.Guild) []discord.Channel {
	channels := slices.Concat(guild.Channels, guild.Threads)
	guild.Channels, guild.Threads = nil, nil
	w.mu.Lock()
	defer w.mu.Unlock()
	guild.Members = slices.DeleteFunc(guild.Members, func(m discord.Member) bool { return m.User.ID != w.me.ID })
	if len(guild.Members) == 0 { // GUILD_UPDATE lists none
		guild.Members = w.guilds[guild.ID].Members
	}
	w.guilds[guild.ID] = guild
	for _, channel := range channels {
		w.channels[channel.ID] = channel
	}
	return channels
}

// lost is a channel that heddle can no longer read, with the scope it had.
type lost struct {
	channel graph.ChannelID
	scope   store.Scope
}

// dropGuild forgets a guild that heddle left and gives its channels.
func (w *world) dropGuild(guild graph.GuildID) []lost {
	w.mu.RLock()
	var channels []graph.ChannelID
	for id, channel := range w.channels {
		if channel.Guild == guild {
			channels = append(channels, id)
		}
	}
	w.mu.RUnlock()
	slices.Sort(channels)
	gone := w.dropChannels(channels...)

	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.guilds, guild)
	return gone
}

// setChannel takes a channel or thread that was made, changed or read.
func (w *world) setChannel(channel discord.Channel) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if channel.Guild == 0 {
		channel.Guild = w.channels[channel.ID].Guild
	}
	w.channels[channel.ID] = channel
}

func (w *world) dropChannels(channels ...graph.ChannelID) []lost {
	gone := make([]lost, len(channels))
	for i, channel := range channels {
		gone[i] = lost{channel, w.place(channel, 0).scope}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, channel := range channels {
		delete(w.channels, channel)
	}
	return gone
}

// setRole takes a role that was made, changed or deleted.
func (w *world) setRole(update discord.RoleUpdate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	guild, ok := w.guilds[update.Guild]
	if !ok {
		return
	}
	roles := slices.DeleteFunc(slices.Clone(guild.Roles), func(r discord.Role) bool { return r.ID == update.Role.ID })
	if !update.Gone {
		roles = append(roles, update.Role)
	}
	guild.Roles = roles
	w.guilds[update.Guild] = guild
}

// setMember takes what heddle's own membership became.
func (w *world) setMember(update discord.MemberUpdate) {
	w.mu.Lock()
	defer w.mu.Unlock()
	guild, ok := w.guilds[update.Guild]
	if !ok || update.Member.User.ID != w.me.ID {
		return
	}
	guild.Members = []discord.Member{update.Member}
	w.guilds[update.Guild] = guild
}
