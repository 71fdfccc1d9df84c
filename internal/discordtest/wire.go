package discordtest

import (
	"slices"
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
	w := wireUser{ID: u.id, Username: u.name, Discriminator: "0", Bot: u.bot != nil}
	if u.global != "" {
		w.GlobalName = &u.global
	}
	return w
}

// wireMention is a user that a message mentions. Events hold the membership as well.
type wireMention struct {
	wireUser
	Member object `json:"member,omitempty"`
}

// object is one of Discord's objects, or an event about one, by the names of its fields.
type object = map[string]any

func wireMemberOf(m *member) object {
	w := object{
		"user": wireUserOf(m.user), "nick": nil, "roles": append([]graph.RoleID{}, m.roles...), "joined_at": wireTime(m.joined),
		"communication_disabled_until": nil, "deaf": false, "mute": false, "flags": 0,
	}
	if m.nick != "" {
		w["nick"] = m.nick
	}
	if !m.muted.IsZero() {
		w["communication_disabled_until"] = wireTime(m.muted)
	}
	return w
}

// wireMembership returns a membership beside its user.
func wireMembership(m *member) object {
	w := wireMemberOf(m)
	delete(w, "user")
	return w
}

func wireRoleOf(r *role, position int) object {
	w := object{
		"id": r.id, "name": r.name, "color": 0, "hoist": false, "position": position,
		"permissions": r.permissions, "managed": r.bot != 0, "mentionable": r.mentionable,
	}
	if r.bot != 0 {
		w["tags"] = object{"bot_id": r.bot}
	}
	return w
}

// wireChannelOf returns a channel or thread as Discord writes it.
func wireChannelOf(c *channel) object {
	w := object{"id": c.id, "type": c.kind, "position": c.position(), "topic": nil, "last_message_id": nil, "nsfw": c.adult, "flags": 0}
	if n := len(c.messages); n > 0 {
		w["last_message_id"] = c.messages[n-1].ID
	}
	if c.kind.holdsPosts() {
		for _, t := range c.guild.threads { // the newest comes last, and its first message has its id
			if t.parent == c {
				w["last_message_id"] = t.id
			}
		}
	}
	if c.guild == nil {
		var people []wireUser
		for _, u := range c.recipients {
			if u.bot == nil {
				people = append(people, wireUserOf(u))
			}
		}
		w["recipients"] = people
		return w
	}
	w["guild_id"], w["name"] = c.guild.id, c.name
	if c.kind.holdsPosts() {
		w["available_tags"] = wireTags(c.tags)
	}
	if c.topic != "" {
		w["topic"] = c.topic
	}
	if c.parent != nil {
		w["parent_id"] = c.parent.id
	}
	if c.thread == nil {
		w["permission_overwrites"] = append([]Overwrite{}, c.overwrites...)
		return w
	}
	w["nsfw"], w["owner_id"], w["message_count"], w["member_count"] = c.parent.adult, c.thread.owner, len(c.messages), len(c.thread.members)
	if c.parent.kind.holdsPosts() {
		w["applied_tags"] = append([]TagID{}, c.thread.tags...)
	}
	w["thread_metadata"] = object{
		"archived": c.thread.archived, "locked": c.thread.locked, "auto_archive_duration": 1440,
		"archive_timestamp": wireTime(c.thread.changed), "create_timestamp": wireTime(c.thread.created),
	}
	return w
}

// position returns the place of a channel among those of its guild; 0 for threads.
func (c *channel) position() int {
	if c.guild == nil {
		return 0
	}
	return max(slices.Index(c.guild.channels, c), 0)
}

// wireTags returns the tags of a forum.
func wireTags(tags []Tag) []object {
	all := []object{}
	for _, tag := range tags {
		w := object{"id": tag.ID, "name": tag.Name, "moderated": tag.Moderated, "emoji_id": nil, "emoji_name": nil}
		if tag.Emoji != "" {
			w["emoji_name"] = tag.Emoji
		}
		all = append(all, w)
	}
	return all
}

// channelHidden is the flag of a channel that the bot may not view.
const channelHidden = 1 << 17

// wireChannelFor returns a channel as the gateway sends it to a bot. Of one that the bot may
// not view, Discord has hidden all but id, type and position since 2026-11-16
// (discord-api-docs#8454). Interactions carry the whole channel.
func wireChannelFor(c *channel, b graph.UserID) object {
	if c.guild == nil || c.thread != nil || c.permissions(b)&ViewChannel != 0 {
		return wireChannelOf(c)
	}
	return object{
		"id": c.id, "guild_id": c.guild.id, "type": c.kind, "position": c.position(), "name": "___hidden___", "flags": channelHidden,
		"permission_overwrites": []Overwrite{{Role: c.guild.roles[0].id, Deny: ViewChannel}},
		"topic":                 nil, "last_message_id": nil, "last_pin_timestamp": nil, "parent_id": nil, "nsfw": false, "rate_limit_per_user": 0,
		"application_id": nil, "available_tags": []any{}, "default_reaction_emoji": nil, "default_sort_order": nil, "rtc_region": nil,
	}
}

// wireGuild returns a guild as GUILD_CREATE carries it, as far as b may see it.
func wireGuild(g *guild, b *bot) object {
	channels, threads, members := []object{}, []object{}, []object{}
	for _, c := range g.channels {
		channels = append(channels, wireChannelFor(c, b.id))
	}
	for _, c := range g.threads {
		if !c.thread.archived && c.permissions(b.id)&ViewChannel != 0 {
			threads = append(threads, wireChannelOf(c))
		}
	}
	for _, m := range g.members {
		members = append(members, wireMemberOf(m))
	}
	fields := wireGuildHead(g)
	fields["channels"], fields["threads"], fields["members"] = channels, threads, members
	fields["joined_at"] = wireTime(g.member(b.id).joined)
	fields["member_count"] = len(members)
	fields["large"], fields["unavailable"] = false, false
	fields["voice_states"], fields["presences"] = []any{}, []any{}
	return fields
}

// wireGuildHead returns a guild as REST answers it.
func wireGuildHead(g *guild) object {
	roles := make([]object, len(g.roles))
	for i, r := range g.roles {
		roles[i] = wireRoleOf(r, i)
	}
	return object{
		"id": g.id, "name": g.name, "owner_id": g.owner.String(), "roles": roles,
		"emojis": []any{}, "stickers": []any{}, "features": []any{}, "icon": nil, "preferred_locale": locale(g.locale),
		"verification_level": 0, "explicit_content_filter": 0, "nsfw_level": 0, "premium_tier": 0, "system_channel_id": nil,
	}
}

// shardOf returns which of n shards serves a guild.
func shardOf(g graph.GuildID, n int) int {
	return int(uint64(g) >> snowflakeBits % uint64(max(n, 1))) //nolint:gosec // less than n
}
