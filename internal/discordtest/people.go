package discordtest

import (
	"crypto/rand"
	"slices"
	"time"

	"heddle/graph"
)

// People makes and changes the accounts of people and bots, and their memberships in
// guilds. Its methods panic if they are given the id of something that does not exist.
type People struct{ world *world }

// Bot is a bot's account.
type Bot struct {
	Token string
	User  graph.UserID
	// Application is the id of the application. It equals User, as on Discord today.
	Application graph.UserID
}

// AddUser creates a person who is a member of the given guilds. The first member
// of a guild owns it.
func (p *People) AddUser(name string, guilds ...graph.GuildID) graph.UserID {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	u := &user{id: graph.UserID(p.world.nextID()), name: name}
	p.world.users[u.id] = u
	for _, id := range guilds {
		p.world.join(must(p.world.guilds, id), u)
	}
	return u.id
}

// AddBot creates a bot that is a member of the given guilds and has a managed role
// in each.
func (p *People) AddBot(name string, guilds ...graph.GuildID) Bot {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	id := graph.UserID(p.world.nextID())
	b := &bot{user: &user{id: id, name: name}, application: id, token: "token." + id.String() + "." + rand.Text()}
	b.bot = b
	p.world.users[id] = b.user
	p.world.bots[b.token] = b
	for _, g := range guilds {
		p.world.join(must(p.world.guilds, g), b.user)
	}
	return Bot{Token: b.token, User: id, Application: id}
}

// Stranger is an account that was made elsewhere.
type Stranger struct {
	ID   graph.UserID
	Name string
	Bot  bool // it cannot connect
}

// Adopt makes a stranger a member of a guild.
func (p *People) Adopt(s Stranger, home graph.GuildID) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	u := &user{id: s.ID, name: s.Name}
	if s.Bot {
		u.bot = &bot{user: u, application: u.id}
	}
	p.world.users[u.id] = u
	p.world.join(must(p.world.guilds, home), u)
}

// Join makes a person or bot a member of a guild. A bot learns of it by GUILD_CREATE.
func (p *People) Join(id graph.GuildID, who graph.UserID) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.world.join(must(p.world.guilds, id), must(p.world.users, who))
}

// join makes a user a member of a guild, and its owner if it has none. A bot gets a role of
// its own, and learns of the guild.
func (w *world) join(g *guild, u *user) {
	m := &member{user: u, everyone: g.roles[0].id, joined: w.clock()}
	g.members = append(g.members, m)
	if g.owner == 0 && u.bot == nil {
		g.owner = u.id
	}
	if u.bot == nil {
		return
	}
	r := &role{id: graph.RoleID(w.nextID()), name: u.name, bot: u.id, permissions: botPermissions}
	g.roles = append(g.roles, r)
	m.roles = append(m.roles, r.id)
	w.emit(event{name: "GUILD_CREATE", guild: g, only: u.id, render: func(viewer) any { return wireGuild(g, u.bot) }})
}

// Leave ends a membership. A bot learns of it by GUILD_DELETE.
func (p *People) Leave(id graph.GuildID, who graph.UserID) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	g, u := must(p.world.guilds, id), must(p.world.users, who)
	if u.bot != nil {
		p.world.emit(event{name: "GUILD_DELETE", guild: g, only: u.id, render: func(viewer) any {
			return object{"id": g.id}
		}})
		g.roles = slices.DeleteFunc(g.roles, func(r *role) bool { return r.bot == u.id })
	}
	g.members = slices.DeleteFunc(g.members, func(m *member) bool { return m.user.id == who })
}

// GrantRole adds a role to a member. The member, if a bot, and bots with the
// intent get GUILD_MEMBER_UPDATE.
func (p *People) GrantRole(id graph.GuildID, who graph.UserID, r graph.RoleID) {
	p.updateMember(id, who, func(m *member) { m.roles = appendNew(m.roles, r) })
}

// RevokeRole takes a role from a member. The member, if a bot, and bots with the
// intent get GUILD_MEMBER_UPDATE.
func (p *People) RevokeRole(id graph.GuildID, who graph.UserID, r graph.RoleID) {
	p.updateMember(id, who, func(m *member) {
		m.roles = slices.DeleteFunc(slices.Clone(m.roles), func(has graph.RoleID) bool { return has == r })
	})
}

// SetNick sets a member's name in a guild; empty is none. The member, if a bot, and bots with
// the intent get GUILD_MEMBER_UPDATE.
func (p *People) SetNick(id graph.GuildID, who graph.UserID, nick string) {
	p.updateMember(id, who, func(m *member) { m.nick = nick })
}

// SetDisplayName sets the name that a person shows everywhere; empty is none.
func (p *People) SetDisplayName(who graph.UserID, name string) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	must(p.world.users, who).global = name
}

// Timeout keeps a member from everything but reading until a time. The member, if a bot,
// and bots with the intent get GUILD_MEMBER_UPDATE.
func (p *People) Timeout(id graph.GuildID, who graph.UserID, until time.Time) {
	p.updateMember(id, who, func(m *member) { m.muted = until })
}

// updateMember finds a member of a guild and changes it.
func (p *People) updateMember(id graph.GuildID, who graph.UserID, change func(*member)) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	g := must(p.world.guilds, id)
	p.world.updateMember(g, g.mustMember(who), change)
}

// updateMember changes a member of a guild and tells the bots.
func (w *world) updateMember(g *guild, m *member, change func(*member)) {
	who := m.user.id
	var hidden []*channel
	if m.user.bot != nil {
		hidden = g.hiddenFrom(who)
	}
	change(m)
	w.emit(event{name: "GUILD_MEMBER_UPDATE", guild: g, about: who, render: func(viewer) any {
		wire := wireMemberOf(m)
		wire["guild_id"] = g.id
		return wire
	}})
	reveal(hidden, who)
}

// CloseDMs makes a person refuse direct messages (50007).
func (p *People) CloseDMs(who graph.UserID) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	must(p.world.users, who).closedDMs = true
}

// DenyMessageContent switches a bot's Message Content intent off in its portal. An
// identify with the intent is then closed with 4014, and REST blanks what the bot
// may not read.
func (p *People) DenyMessageContent(who graph.UserID) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.world.mustBot(who).noContent = true
}

// InstallFor installs a bot's application for a person, who can then use it anywhere.
func (p *People) InstallFor(who, bot graph.UserID) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	b := p.world.mustBot(bot)
	b.installedFor = appendNew(b.installedFor, must(p.world.users, who).id)
}

// AllowUserInstall lets people install a bot's application for themselves, as its
// Installation page does: commands that name no installations are then for those, too.
func (p *People) AllowUserInstall(bot graph.UserID) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.world.mustBot(bot).forUsers = true
}

// SetLocale sets a person's language, one of Discord's locales. People begin with en-US.
func (p *People) SetLocale(who graph.UserID, locale string) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	must(p.world.users, who).locale = locale
}
