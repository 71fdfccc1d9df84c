package guilds_test

import (
	"slices"
	"time"

	"heddle/graph"
)

// The bits of Discord's documentation, "Permissions", "Bitwise Permission Flags".
const (
	administrator      = 0x8
	viewChannel        = 0x400
	sendMessages       = 0x800
	readMessageHistory = 0x10000
	connect            = 0x100000
	manageThreads      = 0x400000000
	everything         = ^uint64(0)
)

// The types of Discord's documentation, "Channel", "Channel Types".
const (
	guildText          = 0
	guildVoice         = 2
	guildAnnouncement  = 5
	announcementThread = 10
	publicThread       = 11
	privateThread      = 12
	guildStage         = 13
	guildForum         = 15
	guildMedia         = 16
)

// The types below describe a guild for the reference. The reference computes who may
// read a channel. It was written from Discord's documentation, without regard to
// heddle's code.
type (
	refGuild struct {
		id    uint64
		owner graph.UserID
		roles map[uint64]uint64 // what each grants; the guild's id is @everyone's
	}
	refChannel struct {
		id         graph.ChannelID
		kind       int
		adult      bool
		overwrites map[uint64]refOverwrite // by the id of a role or member
		parent     *refChannel             // of a thread
		inside     []graph.UserID          // of a private thread
	}
	refOverwrite struct{ allow, deny uint64 }
	refMember    struct {
		id    graph.UserID
		roles []uint64
		muted time.Time
	}
)

// basePermissions is the function compute_base_permissions of the documentation.
func (g *refGuild) basePermissions(m *refMember) uint64 {
	if g.owner == m.id {
		return everything
	}
	permissions := g.roles[g.id]
	for _, role := range m.roles {
		permissions |= g.roles[role]
	}
	if permissions&administrator == administrator {
		return everything
	}
	return permissions
}

// overwritten is the function compute_overwrites of the documentation.
func (g *refGuild) overwritten(base uint64, m *refMember, overwrites map[uint64]refOverwrite) uint64 {
	if base&administrator == administrator {
		return everything
	}
	permissions := base
	if everyone, ok := overwrites[g.id]; ok {
		permissions &= ^everyone.deny
		permissions |= everyone.allow
	}
	var allow, deny uint64
	for _, role := range m.roles {
		if o, ok := overwrites[role]; ok {
			allow |= o.allow
			deny |= o.deny
		}
	}
	permissions &= ^deny
	permissions |= allow
	if o, ok := overwrites[uint64(m.id)]; ok {
		permissions &= ^o.deny
		permissions |= o.allow
	}
	return permissions
}

// mayRead reports whether the documentation lets a member read a channel's history:
//   - "Threads inherit permissions from their parent"; private ones are open to those
//     who were added and to those with MANAGE_THREADS.
//   - "Timed out members will temporarily lose all permissions except VIEW_CHANNEL and
//     READ_MESSAGE_HISTORY. Owners and admin users are exempt."
//   - "Get Channel Messages": VIEW_CHANNEL, in voice channels CONNECT; without
//     READ_MESSAGE_HISTORY nothing is returned.
func (g *refGuild) mayRead(m *refMember, c *refChannel, now time.Time) bool {
	at := c
	if c.parent != nil {
		at = c.parent
	}
	p := g.overwritten(g.basePermissions(m), m, at.overwrites)
	if p != everything && m.muted.After(now) {
		p &= viewChannel | readMessageHistory
	}
	switch {
	case p&viewChannel == 0, p&readMessageHistory == 0:
		return false
	case at.kind == guildVoice, at.kind == guildStage:
		return p&connect != 0
	case c.kind == privateThread && p&manageThreads == 0:
		return slices.Contains(c.inside, m.id)
	}
	return true
}

// allMayRead reports whether every member that the guild could have, with any of its
// roles and any overwrite of the channel, may read the channel.
func (g *refGuild) allMayRead(c *refChannel) bool {
	at := c
	if c.parent != nil {
		at = c.parent
	}
	var roles []uint64
	for role := range g.roles {
		if role != g.id {
			roles = append(roles, role)
		}
	}
	people := []graph.UserID{1} // somebody without an overwrite
	for id := range at.overwrites {
		if _, isRole := g.roles[id]; !isRole && graph.UserID(id) != g.owner {
			people = append(people, graph.UserID(id))
		}
	}
	for held := range 1 << len(roles) {
		for _, person := range people {
			m := &refMember{id: person}
			for i, role := range roles {
				if held>>i&1 == 1 {
					m.roles = append(m.roles, role)
				}
			}
			if !g.mayRead(m, c, time.Time{}) {
				return false
			}
		}
	}
	return c.kind != privateThread
}
