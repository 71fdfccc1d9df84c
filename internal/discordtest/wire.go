package discordtest

import (
	"strconv"
	"time"

	"heddle/graph"
)

// timeFormat is Discord's format of times.
const timeFormat = "2006-01-02T15:04:05.000000-07:00"

func wireTime(t time.Time) string { return t.UTC().Format(timeFormat) }

type wireUser struct {
	ID            graph.UserID `json:"id"`
	Username      string       `json:"username"`
	GlobalName    *string      `json:"global_name"`
	Discriminator string       `json:"discriminator"`
	Avatar        *string      `json:"avatar"`
	Bot           bool         `json:"bot,omitempty"`
	PublicFlags   int          `json:"public_flags"`
}

func wireUserOf(u *user) wireUser {
	return wireUser{ID: u.id, Username: u.name, Discriminator: "0", Bot: u.bot != nil}
}

type wireMember struct {
	User     *wireUser      `json:"user,omitempty"`
	Guild    graph.GuildID  `json:"guild_id,omitempty"`
	Nick     *string        `json:"nick"`
	Roles    []graph.RoleID `json:"roles"`
	JoinedAt string         `json:"joined_at"`
	MutedTo  *string        `json:"communication_disabled_until"`
	Deaf     bool           `json:"deaf"`
	Mute     bool           `json:"mute"`
	Flags    int            `json:"flags"`
}

func wireMemberOf(m *member) wireMember {
	u := wireUserOf(m.user)
	w := wireMember{User: &u, Roles: append([]graph.RoleID{}, m.roles...), JoinedAt: wireTime(m.joined)}
	if !m.muted.IsZero() {
		until := wireTime(m.muted)
		w.MutedTo = &until
	}
	return w
}

func wireMembers(g *guild) []wireMember {
	members := make([]wireMember, len(g.members))
	for i, m := range g.members {
		members[i] = wireMemberOf(m)
	}
	return members
}

type wireRole struct {
	ID          graph.RoleID  `json:"id"`
	Name        string        `json:"name"`
	Color       int           `json:"color"`
	Hoist       bool          `json:"hoist"`
	Position    int           `json:"position"`
	Permissions Permission    `json:"permissions"`
	Managed     bool          `json:"managed"`
	Mentionable bool          `json:"mentionable"`
	Tags        *wireRoleTags `json:"tags,omitempty"`
}

type wireRoleTags struct {
	Bot graph.UserID `json:"bot_id"`
}

func wireRoleOf(r *role) wireRole {
	w := wireRole{ID: r.id, Name: r.name, Permissions: r.permissions, Mentionable: r.mentionable}
	if r.bot != 0 {
		w.Managed, w.Tags = true, &wireRoleTags{Bot: r.bot}
	}
	return w
}

func wireRoles(g *guild) []wireRole {
	roles := make([]wireRole, len(g.roles))
	for i, r := range g.roles {
		roles[i] = wireRoleOf(r)
		roles[i].Position = i
	}
	return roles
}

type wireOverwrite struct {
	ID    string     `json:"id"`
	Type  int        `json:"type"` // 0 role, 1 member
	Allow Permission `json:"allow"`
	Deny  Permission `json:"deny"`
}

type wireChannel struct {
	ID             graph.ChannelID     `json:"id"`
	Type           ChannelKind         `json:"type"`
	Guild          graph.GuildID       `json:"guild_id,omitempty"`
	Name           *string             `json:"name,omitempty"`
	Parent         graph.ChannelID     `json:"parent_id,omitempty"`
	Position       int                 `json:"position"`
	Topic          *string             `json:"topic"`
	LastMessage    *graph.MessageID    `json:"last_message_id"`
	Overwrites     []wireOverwrite     `json:"permission_overwrites,omitempty"`
	Recipients     []wireUser          `json:"recipients,omitempty"`
	NSFW           bool                `json:"nsfw"`
	Flags          int                 `json:"flags"`
	Owner          graph.UserID        `json:"owner_id,omitempty"`
	MessageCount   *int                `json:"message_count,omitempty"`
	MemberCount    *int                `json:"member_count,omitempty"`
	ThreadMetadata *wireThreadMetadata `json:"thread_metadata,omitempty"`
	NewlyCreated   bool                `json:"newly_created,omitempty"`
}

type wireThreadMetadata struct {
	Archived            bool   `json:"archived"`
	AutoArchiveDuration int    `json:"auto_archive_duration"`
	ArchiveTimestamp    string `json:"archive_timestamp"`
	Locked              bool   `json:"locked"`
	CreateTimestamp     string `json:"create_timestamp"`
}

// wireChannelOf returns a channel or thread as Discord writes it.
func wireChannelOf(c *channel) wireChannel {
	w := wireChannel{ID: c.id, Type: c.kind}
	if n := len(c.messages); n > 0 {
		w.LastMessage = &c.messages[n-1].ID
	}
	if c.kind == Forum {
		for _, thread := range c.threads() { // the newest comes last, and its first message has its id
			w.LastMessage = new(graph.MessageID(thread.id))
		}
	}
	if c.guild == nil {
		for _, u := range c.recipients {
			if u.bot == nil {
				w.Recipients = append(w.Recipients, wireUserOf(u))
			}
		}
		return w
	}
	w.Guild, w.Name, w.NSFW = c.guild.id, &c.name, c.adult
	if c.topic != "" {
		w.Topic = &c.topic
	}
	if c.parent != nil {
		w.Parent = c.parent.id
	}
	if c.thread != nil {
		w.NSFW = c.parent.adult
	}
	for _, o := range c.overwrites {
		w.Overwrites = append(w.Overwrites, wireOverwriteOf(o))
	}
	if c.thread != nil {
		c.thread.describe(&w, len(c.messages))
	}
	return w
}

func wireOverwriteOf(o Overwrite) wireOverwrite {
	w := wireOverwrite{ID: o.Role.String(), Allow: o.Allow, Deny: o.Deny}
	if o.Member != 0 {
		w.ID, w.Type = o.Member.String(), 1
	}
	return w
}

// wireGuild returns a guild as GUILD_CREATE carries it, as far as b may see it.
func wireGuild(g *guild, b *bot) map[string]any {
	channels, threads := []wireChannel{}, []wireChannel{}
	for i, c := range g.channels {
		if c.permissions(b.id)&ViewChannel != 0 {
			w := wireChannelOf(c)
			w.Position = i
			channels = append(channels, w)
		}
	}
	for _, c := range g.threads {
		if !c.thread.archived && c.permissions(b.id)&ViewChannel != 0 {
			threads = append(threads, wireChannelOf(c))
		}
	}
	members := wireMembers(g)
	fields := wireGuildHead(g)
	fields["channels"], fields["threads"], fields["members"] = channels, threads, members
	fields["joined_at"] = wireTime(g.member(b.id).joined)
	fields["member_count"] = len(members)
	fields["large"], fields["unavailable"] = false, false
	fields["voice_states"], fields["presences"] = []any{}, []any{}
	return fields
}

// wireGuildHead returns a guild as REST answers it.
func wireGuildHead(g *guild) map[string]any {
	return map[string]any{
		"id": g.id, "name": g.name, "owner_id": g.owner.String(), "roles": wireRoles(g),
		"emojis": []any{}, "stickers": []any{}, "features": []any{}, "icon": nil, "preferred_locale": locale(g.locale),
		"verification_level": 0, "explicit_content_filter": 0, "nsfw_level": 0, "premium_tier": 0, "system_channel_id": nil,
	}
}

// shardOf returns which of n shards serves a guild.
func shardOf(g graph.GuildID, n int) int {
	return int(uint64(g) >> snowflakeBits % uint64(max(n, 1))) //nolint:gosec // less than n
}

// atoi returns the number that text holds, or otherwise if text is empty. It reports
// whether text is empty or a number.
func atoi(text string, otherwise int) (int, bool) {
	if text == "" {
		return otherwise, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
