package discordtest

import (
	"slices"

	"heddle/graph"
)

// AddUser makes a person who is a member of the given guilds. The first member
// of a guild owns it. It panics on a guild that does not exist, as the other
// methods that build the world do.
func (s *Server) AddUser(name string, guilds ...graph.GuildID) graph.UserID {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := &user{id: graph.UserID(s.nextID()), name: name}
	s.world.users[u.id] = u
	for _, id := range guilds {
		s.joinLocked(s.world.mustGuild(id), u)
	}
	return u.id
}

// Bot is a bot's account.
type Bot struct {
	Token string
	User  graph.UserID
	// Application is the id of the application; equal to User, as on Discord today.
	Application graph.UserID
}

// AddBot makes a bot that is a member of the given guilds, with a managed role in each.
func (s *Server) AddBot(name string, guilds ...graph.GuildID) Bot {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := graph.UserID(s.nextID())
	b := &bot{user: &user{id: id, name: name}, application: id, token: botToken(id)}
	b.bot = b
	s.world.users[id] = b.user
	s.world.bots[b.token] = b
	for _, g := range guilds {
		s.joinLocked(s.world.mustGuild(g), b.user)
	}
	return Bot{Token: b.token, User: id, Application: id}
}

// Join makes a user or bot a member of a guild. A bot is told by GUILD_CREATE.
func (s *Server) Join(id graph.GuildID, who graph.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joinLocked(s.world.mustGuild(id), s.world.mustUser(who))
}

func (s *Server) joinLocked(g *guild, u *user) {
	if g.member(u.id) != nil {
		return
	}
	m := &member{user: u, joined: s.clock()}
	g.members = append(g.members, m)
	if g.owner == 0 && u.bot == nil {
		g.owner = u.id
	}
	if u.bot == nil {
		s.dispatchLocked(event{name: "GUILD_MEMBER_ADD", guild: g, render: func(viewer) any {
			w := s.wireMember(m, true)
			w.Guild = g.id
			return w
		}})
		return
	}
	r := &role{id: graph.RoleID(s.nextID()), name: u.name, bot: u.id, permissions: botPermissions}
	g.roles = append(g.roles, r)
	m.roles = append(m.roles, r.id)
	s.dispatchLocked(event{name: "GUILD_CREATE", guild: g, only: u.bot, render: func(viewer) any {
		return s.wireGuild(g, u.bot)
	}})
}

// Leave ends a membership. A bot is told by GUILD_DELETE.
func (s *Server) Leave(id graph.GuildID, who graph.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, u := s.world.mustGuild(id), s.world.mustUser(who)
	if u.bot != nil {
		s.dispatchLocked(event{name: "GUILD_DELETE", guild: g, only: u.bot, render: func(viewer) any {
			return map[string]any{"id": g.id}
		}})
		g.roles = slices.DeleteFunc(g.roles, func(r *role) bool { return r.bot == u.id })
	}
	g.members = slices.DeleteFunc(g.members, func(m *member) bool { return m.user.id == who })
}

// Rename changes a user's username and global name; an empty global name is none.
func (s *Server) Rename(who graph.UserID, name, global string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.world.mustUser(who)
	u.name, u.global = name, global
}

// CloseDMs has a user refuse direct messages (50007).
func (s *Server) CloseDMs(who graph.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.world.mustUser(who).closedDMs = true
}

// DenyMessageContent switches the bot's Message Content intent off in its portal:
// identifying with it closes with 4014, and REST blanks what the bot may not read.
func (s *Server) DenyMessageContent(who graph.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.world.mustUser(who).bot; b != nil {
		b.noContent = true
	}
}

// UserInfo is what is known about an account.
type UserInfo struct {
	ID           graph.UserID
	Name, Global string
	Bot          bool
}

// User tells about an account; false if there is none.
func (s *Server) User(id graph.UserID) (UserInfo, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	u := s.world.users[id]
	if u == nil {
		return UserInfo{}, false
	}
	return UserInfo{ID: u.id, Name: u.name, Global: u.global, Bot: u.bot != nil}, true
}
