package discordtest

import (
	"crypto/rand"
	"slices"
	"time"

	"heddle/graph"
)

// World builds and changes guilds, channels and accounts, as an administrator
// would. Its methods panic if they are given the id of something that does not
// exist, unless they return an error.
type World struct{ world *world }

// Bot is a bot's account.
type Bot struct {
	Token string
	User  graph.UserID
	// Application is the id of the application. It equals User, as on Discord today.
	Application graph.UserID
}

// AddGuild creates a guild in which @everyone may read and write.
func (a *World) AddGuild(name string) graph.GuildID {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := &guild{id: graph.GuildID(a.world.nextID()), name: name}
	g.roles = []*role{{id: graph.RoleID(g.id), name: "@everyone", permissions: everyonePermissions}}
	a.world.guilds[g.id] = g
	return g.id
}

// AddRole creates a role in a guild.
func (a *World) AddRole(id graph.GuildID, name string, permissions Permission, mentionable bool) graph.RoleID {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := a.world.mustGuild(id)
	r := &role{id: graph.RoleID(a.world.nextID()), name: name, permissions: permissions, mentionable: mentionable}
	g.roles = append(g.roles, r)
	a.world.emit(event{name: "GUILD_ROLE_CREATE", guild: g, render: func(viewer) any {
		return map[string]any{"guild_id": g.id, "role": wireRoleOf(r)}
	}})
	return r.id
}

// GrantRole adds a role to a member. Bots with the intent get GUILD_MEMBER_UPDATE.
func (a *World) GrantRole(id graph.GuildID, who graph.UserID, r graph.RoleID) {
	a.updateMember(id, who, func(m *member) { m.roles = appendNew(m.roles, r) })
}

// RevokeRole takes a role from a member. Bots with the intent get GUILD_MEMBER_UPDATE.
func (a *World) RevokeRole(id graph.GuildID, who graph.UserID, r graph.RoleID) {
	a.updateMember(id, who, func(m *member) {
		m.roles = slices.DeleteFunc(slices.Clone(m.roles), func(has graph.RoleID) bool { return has == r })
	})
}

// ManagedRole returns the role that a guild made for a bot; zero if there is none.
func (a *World) ManagedRole(id graph.GuildID, bot graph.UserID) graph.RoleID {
	a.world.mu.RLock()
	defer a.world.mu.RUnlock()
	if r := a.world.mustGuild(id).managedRole(bot); r != nil {
		return r.id
	}
	return 0
}

// AddUser creates a person who is a member of the given guilds. The first member
// of a guild owns it.
func (a *World) AddUser(name string, guilds ...graph.GuildID) graph.UserID {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	u := &user{id: graph.UserID(a.world.nextID()), name: name}
	a.world.users[u.id] = u
	for _, id := range guilds {
		a.world.join(a.world.mustGuild(id), u)
	}
	return u.id
}

// AddBot creates a bot that is a member of the given guilds and has a managed role
// in each.
func (a *World) AddBot(name string, guilds ...graph.GuildID) Bot {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	id := graph.UserID(a.world.nextID())
	b := &bot{user: &user{id: id, name: name}, application: id, token: "token." + id.String() + "." + rand.Text()}
	b.bot = b
	a.world.users[id] = b.user
	a.world.bots[b.token] = b
	for _, g := range guilds {
		a.world.join(a.world.mustGuild(g), b.user)
	}
	return Bot{Token: b.token, User: id, Application: id}
}

// Join makes a person or bot a member of a guild. A bot learns of it by GUILD_CREATE.
func (a *World) Join(id graph.GuildID, who graph.UserID) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	a.world.join(a.world.mustGuild(id), a.world.mustUser(who))
}

func (w *world) join(g *guild, u *user) {
	if g.member(u.id) != nil {
		return
	}
	m := &member{user: u, everyone: g.roles[0].id, joined: w.clock()}
	g.members = append(g.members, m)
	if g.owner == 0 && u.bot == nil {
		g.owner = u.id
	}
	if u.bot == nil {
		w.emit(event{name: "GUILD_MEMBER_ADD", guild: g, render: func(viewer) any {
			wire := wireMemberOf(m)
			wire.Guild = g.id
			return wire
		}})
		return
	}
	r := &role{id: graph.RoleID(w.nextID()), name: u.name, bot: u.id, permissions: botPermissions}
	g.roles = append(g.roles, r)
	m.roles = append(m.roles, r.id)
	w.emit(event{name: "GUILD_CREATE", guild: g, only: u.id, render: func(viewer) any { return wireGuild(g, u.bot) }})
}

// Timeout keeps a member from everything but reading until a time. Bots with the
// intent get GUILD_MEMBER_UPDATE.
func (a *World) Timeout(id graph.GuildID, who graph.UserID, until time.Time) {
	a.updateMember(id, who, func(m *member) { m.muted = until })
}

// updateMember changes a member and tells the bots.
func (a *World) updateMember(id graph.GuildID, who graph.UserID, change func(*member)) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := a.world.mustGuild(id)
	m := g.mustMember(who)
	change(m)
	a.world.emit(event{name: "GUILD_MEMBER_UPDATE", guild: g, render: func(viewer) any {
		wire := wireMemberOf(m)
		wire.Guild = g.id
		return wire
	}})
}

// Leave ends a membership. A bot learns of it by GUILD_DELETE.
func (a *World) Leave(id graph.GuildID, who graph.UserID) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g, u := a.world.mustGuild(id), a.world.mustUser(who)
	if u.bot != nil {
		a.world.emit(event{name: "GUILD_DELETE", guild: g, only: u.id, render: func(viewer) any {
			return map[string]any{"id": g.id}
		}})
		g.roles = slices.DeleteFunc(g.roles, func(r *role) bool { return r.bot == u.id })
	}
	g.members = slices.DeleteFunc(g.members, func(m *member) bool { return m.user.id == who })
}

// Rename changes a username and a global name. An empty global name is none.
func (a *World) Rename(who graph.UserID, name, global string) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	u := a.world.mustUser(who)
	u.name, u.global = name, global
}

// CloseDMs makes a person refuse direct messages (50007).
func (a *World) CloseDMs(who graph.UserID) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	a.world.mustUser(who).closedDMs = true
}

// DenyMessageContent switches a bot's Message Content intent off in its portal. An
// identify with the intent is then closed with 4014, and REST blanks what the bot
// may not read.
func (a *World) DenyMessageContent(who graph.UserID) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	if b := a.world.mustUser(who).bot; b != nil {
		b.noContent = true
	}
}

// UserInfo describes an account.
type UserInfo struct {
	ID           graph.UserID
	Name, Global string
	Bot          bool
}

// User describes an account and reports whether it exists.
func (a *World) User(id graph.UserID) (UserInfo, bool) {
	a.world.mu.RLock()
	defer a.world.mu.RUnlock()
	u := a.world.users[id]
	if u == nil {
		return UserInfo{}, false
	}
	return UserInfo{ID: u.id, Name: u.name, Global: u.global, Bot: u.bot != nil}, true
}
