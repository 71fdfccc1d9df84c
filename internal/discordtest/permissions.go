package discordtest

import (
	"slices"
	"strconv"

	"heddle/graph"
)

// Permission is a set of Discord's permission bits.
type Permission uint64

// The permissions that this server enforces.
const (
	Administrator        Permission = 1 << 3
	AddReactions         Permission = 1 << 6
	ViewChannel          Permission = 1 << 10
	SendMessages         Permission = 1 << 11
	ManageMessages       Permission = 1 << 13
	EmbedLinks           Permission = 1 << 14
	AttachFiles          Permission = 1 << 15
	ReadMessageHistory   Permission = 1 << 16
	MentionEveryone      Permission = 1 << 17
	Connect              Permission = 1 << 20
	ManageThreads        Permission = 1 << 34
	CreatePublicThreads  Permission = 1 << 35
	CreatePrivateThreads Permission = 1 << 36
	SendInThreads        Permission = 1 << 38

	allPermissions = ^Permission(0)

	everyonePermissions = AddReactions | ViewChannel | SendMessages | EmbedLinks | AttachFiles |
		ReadMessageHistory | Connect | CreatePublicThreads | CreatePrivateThreads | SendInThreads
	botPermissions = everyonePermissions
)

// MarshalText returns the decimal form that Discord sends.
func (p Permission) MarshalText() ([]byte, error) {
	return strconv.AppendUint(nil, uint64(p), 10), nil
}

// Overwrite changes permissions in a channel for one role or one member.
// The role of @everyone has the guild's id.
type Overwrite struct {
	Role        graph.RoleID
	Member      graph.UserID
	Allow, Deny Permission
}

// MarshalJSON returns the form that Discord sends.
func (o Overwrite) MarshalJSON() ([]byte, error) {
	id, kind := o.Role.String(), 0
	if o.Member != 0 {
		id, kind = o.Member.String(), 1
	}
	return mustJSON(object{"id": id, "type": kind, "allow": o.Allow, "deny": o.Deny}), nil
}

// Permissions returns what somebody may do in a channel or thread.
func (a *World) Permissions(id graph.ChannelID, who graph.UserID) Permission {
	a.world.mu.RLock()
	defer a.world.mu.RUnlock()
	return must(a.world.channels, id).permissions(who)
}

// permissions returns what a user may do in c, as Discord computes it.
func (c *channel) permissions(who graph.UserID) Permission {
	if c.guild == nil {
		if slices.ContainsFunc(c.recipients, func(u *user) bool { return u.id == who }) {
			return everyonePermissions
		}
		return 0
	}
	if c.thread != nil {
		p := c.parent.permissions(who)
		if c.kind == PrivateThread && p&ManageThreads == 0 && !slices.Contains(c.thread.members, who) {
			return 0
		}
		return p
	}
	m := c.guild.member(who)
	if m == nil {
		return 0
	}
	base := c.guild.roles[0].permissions
	for _, id := range m.roles {
		if r := c.guild.role(id); r != nil {
			base |= r.permissions
		}
	}
	if base&Administrator != 0 || c.guild.owner == who {
		return allPermissions
	}
	return c.implied(m.overwrite(base, c.overwrites), m)
}

// implied removes from p what Discord denies by implication: for a member under a
// timeout, in a hidden channel, and in a voice channel without Connect.
func (c *channel) implied(p Permission, m *member) Permission {
	if m.muted.After(c.world.clock()) {
		p &= ViewChannel | ReadMessageHistory
	}
	switch {
	case p&ViewChannel == 0:
		return 0
	case c.kind.isVoice() && p&Connect == 0:
		return ViewChannel
	}
	return p
}

func (k ChannelKind) isVoice() bool { return k == Voice || k == Stage }

// opens reports whether p is enough to see the messages of c.
func (c *channel) opens(p Permission) bool {
	return p&ViewChannel != 0 && (!c.kind.isVoice() || p&Connect != 0)
}

// overwrite applies a channel's overwrites in Discord's order: @everyone, roles, member.
func (m *member) overwrite(base Permission, overwrites []Overwrite) Permission {
	var allow, deny, allowMember, denyMember Permission
	for _, o := range overwrites {
		switch {
		case o.Role != 0 && o.Role == m.everyone:
			base = base&^o.Deny | o.Allow
		case o.Role != 0 && slices.Contains(m.roles, o.Role):
			allow |= o.Allow
			deny |= o.Deny
		case o.Member != 0 && o.Member == m.user.id:
			allowMember |= o.Allow
			denyMember |= o.Deny
		}
	}
	base = base&^deny | allow
	return base&^denyMember | allowMember
}

// canSend reports whether p is enough to write in c.
func (c *channel) canSend(p Permission) bool {
	if c.thread != nil {
		return p&SendInThreads != 0
	}
	return p&SendMessages != 0
}

// mayWrite returns nil if a member may send a message that requires further permissions
// in c, and otherwise Discord's error.
func (c *channel) mayWrite(who graph.UserID, further Permission) error {
	p := c.permissions(who)
	if p&ViewChannel == 0 {
		return errMissingAccess()
	}
	if !c.canSend(p) || p&further != further {
		return errMissingPermissions()
	}
	if c.kind.holdsPosts() {
		return errBadRequest(50008, "Cannot send messages in a non-text channel")
	}
	if c.thread != nil && c.thread.archived && c.thread.locked {
		return errBadRequest(50083, "Thread is archived")
	}
	return nil
}
