package guilds

import (
	"cmp"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

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

// place describes a channel, as Cache.Place does.
func (r *reported) place(channel graph.ChannelID, guild graph.GuildID) Place {
	known := r.channels[channel]
	parent, inThread := r.channels[known.Parent], known.Type.IsThread()
	if known.Guild != 0 {
		guild = known.Guild
	}
	p := Place{
		Scope:  store.ChannelScope(guild, channel),
		Direct: guild == 0 && (known.ID == 0 || known.Type.IsDirect()),
		Self:   Self{User: r.me.ID},
	}
	if inThread {
		p.Parent, p.Starter = known.Parent, known.Parent
		if parent.Type.HasOnlyThreads() {
			p.Starter = channel
		}
		if known.Type != discord.ChannelPrivateThread {
			p.Scope = store.ChannelScope(guild, known.Parent)
		}
	}
	home, ok := r.guilds[guild]
	if !ok {
		return p
	}
	p.Locale = home.Locale
	p.Named = Named{home.Name, known.Name, known.Topic}
	if inThread && parent.ID != 0 {
		p.Named.Channel, p.Named.Topic = parent.Name, parent.Topic
	}
	p.Self.Role = managedRole(home, r.me.ID)
	if len(home.Members) > 0 {
		p.Self.Nick = home.Members[0].Nick
	}
	// Messages from an age-restricted channel must not be repeated elsewhere.
	p.AgeRestricted = known.AgeRestricted || inThread && parent.AgeRestricted
	if known.ID != 0 && !p.AgeRestricted && discord.EveryoneMayRead(home, known, parent) {
		p.Scope = store.GuildScope(home.ID)
	}
	if len(home.Members) == 0 || known.ID == 0 || inThread && parent.ID == 0 {
		return p // heddle's permissions are not known
	}
	self := discord.MemberIn{Guild: home, Channel: known, Parent: parent, User: r.me.ID, Member: home.Members[0], Now: time.Now()}
	granted := self.Permissions()
	p.NoHistory = !granted.MayRead(known.Type)
	p.Lacks = discord.PermissionsToAnswer(known.Type) &^ granted
	return p
}

// managedRole returns the role that Discord gave a bot in a guild, or 0 if none is known.
func managedRole(guild discord.Guild, user graph.UserID) graph.RoleID {
	for _, role := range guild.Roles {
		if role.Bot == user && user != 0 {
			return role.ID
		}
	}
	return 0
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

// Self is heddle's account in one guild.
type Self struct {
	User graph.UserID
	// Role is the managed role that Discord gave heddle in the guild, or 0 if none is
	// known. The mention picker often offers it in place of the user.
	Role graph.RoleID
	Nick string // in the guild, "" if none is known
}
