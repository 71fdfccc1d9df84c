package discordtest

import (
	"slices"

	"heddle/graph"
)

// World makes and changes guilds, their roles, and channels, as an administrator would.
// Its methods panic if they are given the id of something that does not exist, unless
// they return an error.
type World struct{ world *world }

// AddGuild creates a guild in which @everyone may read and write.
func (a *World) AddGuild(name string) graph.GuildID {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := &guild{id: graph.GuildID(a.world.nextID()), name: name}
	g.roles = []*role{{id: graph.RoleID(g.id), name: "@everyone", permissions: everyonePermissions}}
	a.world.guilds[g.id] = g
	return g.id
}

// SetGuildLocale sets a guild's language, one of Discord's locales. Guilds begin with
// en-US. Its bots get GUILD_UPDATE.
func (a *World) SetGuildLocale(id graph.GuildID, locale string) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := must(a.world.guilds, id)
	g.locale = locale
	a.world.emit(event{name: "GUILD_UPDATE", guild: g, render: func(viewer) any { return wireGuildHead(g) }})
}

// AddRole creates a role in a guild.
func (a *World) AddRole(id graph.GuildID, name string, permissions Permission, mentionable bool) graph.RoleID {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := must(a.world.guilds, id)
	r := &role{id: graph.RoleID(a.world.nextID()), name: name, permissions: permissions, mentionable: mentionable}
	g.roles = append(g.roles, r)
	a.world.emit(event{name: "GUILD_ROLE_CREATE", guild: g, render: func(viewer) any {
		return object{"guild_id": g.id, "role": wireRoleOf(r, 0)}
	}})
	return r.id
}

// RenameRole changes the name of a role. Bots get GUILD_ROLE_UPDATE.
func (a *World) RenameRole(id graph.GuildID, which graph.RoleID, name string) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	g := must(a.world.guilds, id)
	r := g.role(which)
	r.name = name
	a.world.emit(event{name: "GUILD_ROLE_UPDATE", guild: g, render: func(viewer) any {
		return object{"guild_id": g.id, "role": wireRoleOf(r, slices.Index(g.roles, r))}
	}})
}

// ManagedRole returns the role that a guild made for a bot; zero if there is none.
func (a *World) ManagedRole(id graph.GuildID, bot graph.UserID) graph.RoleID {
	a.world.mu.RLock()
	defer a.world.mu.RUnlock()
	for _, r := range must(a.world.guilds, id).roles {
		if r.bot == bot {
			return r.id
		}
	}
	return 0
}
