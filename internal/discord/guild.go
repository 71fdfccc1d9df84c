package discord

import (
	"time"

	"heddle/graph"
)

// Guild is a guild of READY, GUILD_CREATE or REST. Only GUILD_CREATE has Channels and
// Threads.
type Guild struct {
	ID          graph.GuildID   `wire:"id"`
	Name        string          `wire:"name"`
	Locale      string          `wire:"preferred_locale"` // the language that the guild prefers, such as "de" or "en-US"
	Owner       graph.UserID    `wire:"owner_id"`
	System      graph.ChannelID `wire:"system_channel_id"` // channel for Discord's welcome messages; zero for none
	Joined      time.Time       `wire:"joined_at"`         // when the bot joined; only in GUILD_CREATE
	Roles       []Role          `wire:"roles"`
	Channels    []Channel       `wire:"channels"`
	Threads     []Channel       `wire:"threads"`
	Members     []Member        `wire:"members"`                  // those that Discord sends; in GUILD_CREATE the bot is among them
	Unavailable bool            `wire:"unavailable"`              // an outage, or not sent yet
	People      int             `wire:"approximate_member_count"` // of REST, if asked for
}

// Role is a role of a guild. The role with the guild's id is @everyone.
type Role struct {
	ID          graph.RoleID `wire:"id"`
	Name        string       `wire:"name"`
	Permissions Permissions  `wire:"permissions"`
	Bot         graph.UserID `wire:"tags/bot_id"` // the bot whose managed role it is, from tags.bot_id
}

// Member is a user's membership in a guild.
type Member struct {
	User  User           `wire:"user"` // zero in messages, because there the author is the user
	Nick  string         `wire:"nick"` // "" if not set
	Roles []graph.RoleID `wire:"roles"`
	// TimeoutUntil is when the member's timeout ends or ended; zero for none.
	TimeoutUntil time.Time `wire:"communication_disabled_until"`
}

// Channel is a channel, a thread included.
type Channel struct {
	ID         graph.ChannelID `wire:"id"`
	Guild      graph.GuildID   `wire:"guild_id"` // zero in direct messages and if Discord leaves it out
	Parent     graph.ChannelID `wire:"parent_id"`
	Type       ChannelType     `wire:"type"`
	Name       string          `wire:"name"`
	Topic      string          `wire:"topic"`
	Position   int64           `wire:"position"`
	Overwrites []Overwrite     `wire:"permission_overwrites"`
	Last       graph.MessageID `wire:"last_message_id"`
	// AgeRestricted is set if only adults may open the channel. For a thread the
	// setting of its parent applies.
	AgeRestricted bool `wire:"nsfw"`
	Archived      bool `wire:"thread_metadata/archived"` // only a thread is
	// Tags are those that posts of a forum can have, and Applied those of a post.
	Tags    []Tag   `wire:"available_tags"`
	Applied []TagID `wire:"applied_tags"`
	// Hidden is set if the bot may not view the channel. Discord then tells only its id, type
	// and position; Name is empty, and Overwrites deny everything.
	Hidden bool
}

// Tag is a tag of a forum.
type Tag struct {
	ID   TagID  `wire:"id"`
	Name string `wire:"name"`
}

// TagID is a tag's id.
type TagID = graph.ID[tagKind]

type tagKind struct{}

// complete implements completer. The nickname stands beside the user.
func (m *Member) complete(object, int) { m.User.Nick = m.Nick }

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
	ID     uint64      `wire:"id"`   // of the role or the user
	Member bool        `wire:"type"` // it is for a member
	Allow  Permissions `wire:"allow"`
	Deny   Permissions `wire:"deny"`
}

// complete implements completer. The payload leaves out the guild of its channels and
// threads.
func (g *Guild) complete(o object, _ int) {
	if g.Name == "" {
		g.Name = textOf(o.field("properties/name"))
	}
	for _, channels := range [...][]Channel{g.Channels, g.Threads} {
		for i := range channels {
			channels[i].Guild = g.ID
		}
	}
}

// flagHidden is the flag of a channel that the bot may not view, since 2026-11-16. Discord calls
// such a channel "___hidden___".
const flagHidden = 1 << 17

// complete implements completer.
func (c *Channel) complete(o object, _ int) {
	if c.Hidden = bitsOf(o["flags"])&flagHidden != 0; c.Hidden {
		c.Name = ""
	}
}

// complete implements completer. Older servers name the type.
func (o *Overwrite) complete(fields object, _ int) {
	o.Member = o.Member || textOf(fields["type"]) == "member"
}
