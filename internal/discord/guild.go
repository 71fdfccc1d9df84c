package discord

import (
	"time"

	"heddle/graph"
)

// Guild is a guild of READY, GUILD_CREATE or REST. Only GUILD_CREATE has Channels and
// Threads.
type Guild struct {
	ID          graph.GuildID
	Name        string
	Locale      string // the language that the guild prefers, such as "de" or "en-US"
	Owner       graph.UserID
	System      graph.ChannelID // channel for Discord's welcome messages; zero for none
	Joined      time.Time       // when the bot joined; only in GUILD_CREATE
	Roles       []Role
	Channels    []Channel
	Threads     []Channel
	Members     []Member // those that Discord sends; in GUILD_CREATE the bot is among them
	Unavailable bool     // an outage, or not sent yet
}

// Role is a role of a guild. The role with the guild's id is @everyone.
type Role struct {
	ID          graph.RoleID
	Permissions Permissions
	Bot         graph.UserID // the bot whose managed role it is, from tags.bot_id
}

// Member is a user's membership in a guild.
type Member struct {
	User  User // zero in messages, because there the author is the user
	Roles []graph.RoleID
	// TimeoutUntil is when the member's timeout ends or ended; zero for none.
	TimeoutUntil time.Time
}

// Channel is a channel, a thread included.
type Channel struct {
	ID         graph.ChannelID
	Guild      graph.GuildID // zero in direct messages and if Discord leaves it out
	Parent     graph.ChannelID
	Type       ChannelType
	Name       string
	Topic      string
	Position   int64
	Overwrites []Overwrite
	Last       graph.MessageID
	// AgeRestricted is set if only adults may open the channel. For a thread the
	// setting of its parent applies.
	AgeRestricted bool
	Archived      bool // only a thread is
}

// ChannelType is what kind of channel Discord says it is.
type ChannelType int64

// The channel types that callers distinguish.
const (
	ChannelText               ChannelType = 0
	ChannelDM                 ChannelType = 1
	ChannelVoice              ChannelType = 2
	ChannelGroupDM            ChannelType = 3
	ChannelAnnouncement       ChannelType = 5
	ChannelAnnouncementThread ChannelType = 10
	ChannelPublicThread       ChannelType = 11
	ChannelPrivateThread      ChannelType = 12
	ChannelStage              ChannelType = 13
	ChannelForum              ChannelType = 15
	ChannelMedia              ChannelType = 16
)

// IsThread reports whether the channel is a thread. A thread has its parent's permissions.
func (t ChannelType) IsThread() bool {
	return t == ChannelAnnouncementThread || t == ChannelPublicThread || t == ChannelPrivateThread
}

// HasThreads reports whether threads belong to such a channel.
func (t ChannelType) HasThreads() bool {
	return t == ChannelText || t == ChannelAnnouncement || t == ChannelForum || t == ChannelMedia
}

// HasOnlyThreads reports whether nobody can write in such a channel but in its threads. The
// last message of such a channel is its newest thread.
func (t ChannelType) HasOnlyThreads() bool { return t == ChannelForum || t == ChannelMedia }

// IsDirect reports whether the channel belongs to no guild.
func (t ChannelType) IsDirect() bool { return t == ChannelDM || t == ChannelGroupDM }

// IsVoice reports whether the channel is a voice or stage channel. Its messages may be
// read only by people who may join it.
func (t ChannelType) IsVoice() bool { return t == ChannelVoice || t == ChannelStage }

// Overwrite changes the permissions of a role or a member in one channel.
type Overwrite struct {
	ID     uint64 // of the role or the user
	Member bool   // it is for a member
	Allow  Permissions
	Deny   Permissions
}

// decodeGuild reads a guild. The payload leaves out the guild of its channels and
// threads, so decodeGuild adds it.
func decodeGuild(o object) Guild {
	g := Guild{
		ID:          graph.GuildID(o.bits("id")),
		Name:        o.text("name"),
		Locale:      o.text("preferred_locale"),
		Owner:       graph.UserID(o.bits("owner_id")),
		System:      graph.ChannelID(o.bits("system_channel_id")),
		Joined:      o.moment("joined_at"),
		Unavailable: o.boolean("unavailable"),
		Roles:       eachOf(o, "roles", decodeRole),
		Channels:    eachOf(o, "channels", decodeChannel),
		Threads:     eachOf(o, "threads", decodeChannel),
		Members:     eachOf(o, "members", decodeMember),
	}
	if g.Name == "" {
		g.Name = o.object("properties").text("name")
	}
	for _, channels := range [...][]Channel{g.Channels, g.Threads} {
		for i := range channels {
			channels[i].Guild = g.ID
		}
	}
	return g
}

func decodeRole(o object) Role {
	return Role{
		ID:          graph.RoleID(o.bits("id")),
		Permissions: Permissions(o.bits("permissions")),
		Bot:         graph.UserID(o.object("tags").bits("bot_id")),
	}
}

func decodeMember(o object) Member {
	m := Member{
		Roles:        idsOf[graph.RoleID](o, "roles"),
		TimeoutUntil: o.moment("communication_disabled_until"),
	}
	if user := o.object("user"); user != nil {
		m.User = decodeUser(user)
	}
	return m
}

// memberOf returns the membership that a payload holds; nil if it holds none.
func memberOf(o object) *Member {
	member := o.object("member")
	if member == nil {
		return nil
	}
	decoded := decodeMember(member)
	return &decoded
}

// decodeChannel reads a channel or a thread.
func decodeChannel(o object) Channel {
	return Channel{
		ID:         graph.ChannelID(o.bits("id")),
		Guild:      graph.GuildID(o.bits("guild_id")),
		Parent:     graph.ChannelID(o.bits("parent_id")),
		Type:       ChannelType(o.integer("type")),
		Name:       o.text("name"),
		Topic:      o.text("topic"),
		Position:   o.integer("position"),
		Overwrites: eachOf(o, "permission_overwrites", decodeOverwrite),
		Last:       graph.MessageID(o.bits("last_message_id")),

		AgeRestricted: o.boolean("nsfw"),
		Archived:      o.object("thread_metadata").boolean("archived"),
	}
}

func decodeOverwrite(o object) Overwrite {
	kind := o.text("type")
	return Overwrite{
		ID:     o.bits("id"),
		Member: kind == "1" || kind == "member",
		Allow:  Permissions(o.bits("allow")),
		Deny:   Permissions(o.bits("deny")),
	}
}
