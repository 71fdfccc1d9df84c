package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// ChannelKind is Discord's channel type.
type ChannelKind int

// The kinds of channels.
const (
	Text          ChannelKind = 0
	DM            ChannelKind = 1
	Voice         ChannelKind = 2
	Category      ChannelKind = 4
	Announcement  ChannelKind = 5
	PublicThread  ChannelKind = 11
	PrivateThread ChannelKind = 12
	Forum         ChannelKind = 15
)

// world is everything that the server knows about people and places.
type world struct {
	users    map[graph.UserID]*user
	bots     map[string]*bot // by token
	guilds   map[graph.GuildID]*guild
	channels map[graph.ChannelID]*channel

	interactions map[string]*interaction // by token
}

type user struct {
	id           graph.UserID
	name, global string
	bot          *bot // nil for people
	closedDMs    bool
}

type bot struct {
	*user
	token       string
	application graph.UserID
	noContent   bool // the portal's Message Content switch is off
}

type guild struct {
	id       graph.GuildID
	name     string
	owner    graph.UserID
	roles    []*role // the first is @everyone
	members  []*member
	channels []*channel // in the order they were made, without threads
	threads  []*channel
}

type role struct {
	id          graph.RoleID
	name        string
	permissions Permission
	mentionable bool
	bot         graph.UserID // of a managed role
}

type member struct {
	user   *user
	roles  []graph.RoleID
	joined time.Time
}

type channel struct {
	id         graph.ChannelID
	guild      *guild // nil in a DM
	kind       ChannelKind
	name       string
	parent     *channel
	overwrites []Overwrite
	recipients []*user // of a DM
	messages   messageLog
	thread     *threadState
	nonces     map[nonceKey]nonceUse
}

func newWorld() world {
	return world{
		users:    map[graph.UserID]*user{},
		bots:     map[string]*bot{},
		guilds:   map[graph.GuildID]*guild{},
		channels: map[graph.ChannelID]*channel{},

		interactions: map[string]*interaction{},
	}
}

func (g *guild) member(id graph.UserID) *member {
	for _, m := range g.members {
		if m.user.id == id {
			return m
		}
	}
	return nil
}

func (g *guild) role(id graph.RoleID) *role {
	for _, r := range g.roles {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (g *guild) managedRole(user graph.UserID) *role {
	for _, r := range g.roles {
		if r.bot == user {
			return r
		}
	}
	return nil
}

// The must methods end the program of a caller who names what does not exist.

func (w *world) mustGuild(id graph.GuildID) *guild {
	if g := w.guilds[id]; g != nil {
		return g
	}
	panic(fmt.Sprintf("discordtest: no guild %s", id))
}

func (w *world) mustChannel(id graph.ChannelID) *channel {
	if c := w.channels[id]; c != nil {
		return c
	}
	panic(fmt.Sprintf("discordtest: no channel %s", id))
}

func (w *world) mustUser(id graph.UserID) *user {
	if u := w.users[id]; u != nil {
		return u
	}
	panic(fmt.Sprintf("discordtest: no user %s", id))
}

// AddGuild makes a guild in which @everyone may read and write.
func (s *Server) AddGuild(name string) graph.GuildID {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &guild{id: graph.GuildID(s.nextID()), name: name}
	g.roles = []*role{{id: graph.RoleID(g.id), name: "@everyone", permissions: everyonePermissions}}
	s.world.guilds[g.id] = g
	return g.id
}

// AddRole makes a role in a guild.
func (s *Server) AddRole(id graph.GuildID, name string, permissions Permission, mentionable bool) graph.RoleID {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.world.mustGuild(id)
	r := &role{id: graph.RoleID(s.nextID()), name: name, permissions: permissions, mentionable: mentionable}
	g.roles = append(g.roles, r)
	s.dispatchLocked(event{name: "GUILD_ROLE_CREATE", guild: g, render: func(viewer) any {
		return map[string]any{"guild_id": g.id, "role": wireRoleOf(r)}
	}})
	return r.id
}

// GrantRole gives a role to a member.
func (s *Server) GrantRole(id graph.GuildID, who graph.UserID, r graph.RoleID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.world.mustGuild(id).member(who)
	if m == nil {
		panic(fmt.Sprintf("discordtest: user %s is no member of guild %s", who, id))
	}
	if !slices.Contains(m.roles, r) {
		m.roles = append(m.roles, r)
	}
}

// ManagedRole is the role that a guild made for a bot; zero if there is none.
func (s *Server) ManagedRole(id graph.GuildID, bot graph.UserID) graph.RoleID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if r := s.world.mustGuild(id).managedRole(bot); r != nil {
		return r.id
	}
	return 0
}

type nonceKey struct {
	author graph.UserID
	nonce  string
}

type nonceUse struct {
	message graph.MessageID
	at      time.Time
}

func nonceText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
