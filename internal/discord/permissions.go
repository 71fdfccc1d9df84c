package discord

import (
	"slices"
	"time"

	"heddle/graph"
)

// Permissions is a set of Discord's permission bits.
type Permissions uint64

// The permissions that decide what heddle does.
const (
	PermissionAdministrator  Permissions = 1 << 3
	PermissionManageChannels Permissions = 1 << 4
	PermissionManageGuild    Permissions = 1 << 5
	PermissionViewChannel    Permissions = 1 << 10
	PermissionSendMessages   Permissions = 1 << 11
	PermissionManageMessages Permissions = 1 << 13
	PermissionAttachFiles    Permissions = 1 << 15
	PermissionReadHistory    Permissions = 1 << 16
	PermissionConnect        Permissions = 1 << 20
	PermissionManageThreads  Permissions = 1 << 34
	PermissionCreateThreads  Permissions = 1 << 35
	PermissionSendInThreads  Permissions = 1 << 38
	permissionsAll           Permissions = 1<<64 - 1
	// permissionsInTimeout is the permissions that a member keeps during a timeout.
	permissionsInTimeout = PermissionViewChannel | PermissionReadHistory
)

// Has reports whether p includes all of wanted.
func (p Permissions) Has(wanted Permissions) bool { return p&wanted == wanted }

// MayRead reports whether p is enough to read the history of a channel of type t: View
// Channel and Read Message History, and for voice and stage channels Connect. It does
// not consider who is a member of a private thread.
func (p Permissions) MayRead(t ChannelType) bool { return p.Has(permissionsToRead(t)) }

func permissionsToRead(t ChannelType) Permissions {
	if t.IsVoice() {
		return PermissionViewChannel | PermissionReadHistory | PermissionConnect
	}
	return PermissionViewChannel | PermissionReadHistory
}

// PermissionsToAnswer returns the permissions that are needed to answer in a channel of
// type t from its history, with files.
func PermissionsToAnswer(t ChannelType) Permissions {
	if t.IsThread() {
		return permissionsToRead(t) | PermissionAttachFiles | PermissionSendInThreads
	}
	return permissionsToRead(t) | PermissionAttachFiles | PermissionSendMessages
}

// PermissionsUsed returns the permissions that heddle uses in a channel of type t and in its
// threads.
func PermissionsUsed(t ChannelType) Permissions {
	used := PermissionsToAnswer(t)
	switch {
	case t == ChannelForum || t == ChannelMedia: // there Send Messages opens posts, which heddle does not
		return used&^PermissionSendMessages | PermissionSendInThreads
	case !t.IsVoice():
		used |= PermissionSendInThreads
	}
	return used
}

// EveryoneMayRead reports whether every member of the guild may read channel and its
// history, if timeouts are ignored. parent is the channel that a thread belongs to; it
// is ignored for other channels. EveryoneMayRead reports false for private threads and
// for channels of other guilds.
func EveryoneMayRead(guild Guild, channel, parent Channel) bool {
	if channel.Type == ChannelPrivateThread || channel.Type.IsDirect() {
		return false
	}
	base, _ := permissionsOf(channel, parent) // whoever has no role may read nothing in a channel that is not known
	granted := MemberIn{Guild: guild, Channel: channel, Parent: parent}.Permissions()
	shutsOut := func(o Overwrite) bool { // a role or a member
		return o.ID != uint64(guild.ID) && o.Deny&^o.Allow&permissionsToRead(base.Type) != 0
	}
	return granted == permissionsAll || granted.MayRead(base.Type) && !slices.ContainsFunc(base.Overwrites, shutsOut)
}

// MemberIn is a member in a channel of a guild at a time.
type MemberIn struct {
	Guild   Guild
	Channel Channel
	Parent  Channel // the parent if Channel is a thread
	User    graph.UserID
	Member  Member
	Now     time.Time
}

// Permissions returns the permissions of the member in the channel: those of their
// roles, changed by the channel's overwrites for @everyone, roles and the member, and
// limited by a timeout. A thread has its parent's overwrites.
func (m MemberIn) Permissions() Permissions {
	base, ok := permissionsOf(m.Channel, m.Parent)
	if !ok {
		return 0
	}
	granted := rolePermissions(m.Guild, m.Member.Roles)
	if (m.Guild.Owner != 0 && m.Guild.Owner == m.User) || granted.Has(PermissionAdministrator) {
		return permissionsAll
	}
	everyone := uint64(m.Guild.ID)
	granted = overwrite(granted, base.Overwrites, func(o Overwrite) bool { return !o.Member && o.ID == everyone })
	granted = overwrite(granted, base.Overwrites, func(o Overwrite) bool {
		return !o.Member && o.ID != everyone && slices.Contains(m.Member.Roles, graph.RoleID(o.ID))
	})
	granted = overwrite(granted, base.Overwrites, func(o Overwrite) bool { return o.Member && o.ID == uint64(m.User) })
	if m.Now.Before(m.Member.TimeoutUntil) {
		granted &= permissionsInTimeout
	}
	return granted
}

// permissionsOf returns the channel whose overwrites apply: channel, or the parent of a
// thread. It reports false if the parent of a thread is unknown.
func permissionsOf(channel, parent Channel) (Channel, bool) {
	if !channel.Type.IsThread() {
		return channel, true
	}
	return parent, parent.ID != 0 && parent.ID == channel.Parent
}

// rolePermissions returns the permissions that @everyone and the roles grant together.
func rolePermissions(guild Guild, roles []graph.RoleID) Permissions {
	var granted Permissions
	for _, role := range guild.Roles {
		if uint64(role.ID) == uint64(guild.ID) || slices.Contains(roles, role.ID) {
			granted |= role.Permissions
		}
	}
	return granted
}

// overwrite returns granted after the overwrites that apply: first everything that
// they deny, then everything that they allow.
func overwrite(granted Permissions, overwrites []Overwrite, applies func(Overwrite) bool) Permissions {
	var allow, deny Permissions
	for _, o := range overwrites {
		if applies(o) {
			allow |= o.Allow
			deny |= o.Deny
		}
	}
	return granted&^deny | allow
}
