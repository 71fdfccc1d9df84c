package discord

import (
	"encoding/json"
	"fmt"
	"slices"

	"heddle/graph"
)

// Ready is the first dispatch of a gateway session.
type Ready struct {
	User      User
	Session   string // by which the session is resumed
	ResumeURL string
	Guilds    []Guild // ids only, unavailable until their GUILD_CREATE
}

// Delete lists deleted messages: one of MESSAGE_DELETE, several of MESSAGE_DELETE_BULK.
type Delete struct {
	Channel  graph.ChannelID
	Guild    graph.GuildID // zero in direct messages
	Messages []graph.MessageID
}

// MemberUpdate is a member that joined, changed or was read.
type MemberUpdate struct {
	Guild  graph.GuildID
	Member Member
}

// RoleUpdate is a role that was created, changed or, if Gone is set, deleted.
type RoleUpdate struct {
	Guild graph.GuildID
	Role  Role
	Gone  bool
}

// ThreadSync lists the active threads of some channels, or of all channels of a guild.
type ThreadSync struct {
	Guild    graph.GuildID
	Channels []graph.ChannelID // the threads' parents; empty means every channel of the guild
	Threads  []Channel         // every active thread of them that the bot may see
}

// About reports whether s lists the active threads of a channel.
func (s ThreadSync) About(channel graph.ChannelID) bool {
	return len(s.Channels) == 0 || slices.Contains(s.Channels, channel)
}

// DecodeReady reads READY.
func DecodeReady(raw json.RawMessage) (Ready, error) {
	o := parseObject(raw)
	if o == nil {
		return Ready{}, malformed("READY")
	}
	return Ready{
		User:      decodeUser(o.object("user")),
		Session:   o.text("session_id"),
		ResumeURL: o.text("resume_gateway_url"),
		Guilds:    eachOf(o, "guilds", decodeGuild),
	}, nil
}

// DecodeDelete reads MESSAGE_DELETE or MESSAGE_DELETE_BULK.
func DecodeDelete(raw json.RawMessage) (Delete, error) {
	o := parseObject(raw)
	if o == nil {
		return Delete{}, malformed("a deletion")
	}
	d := Delete{
		Channel:  graph.ChannelID(o.bits("channel_id")),
		Guild:    graph.GuildID(o.bits("guild_id")),
		Messages: idsOf[graph.MessageID](o, "ids"),
	}
	if id := graph.MessageID(o.bits("id")); id != 0 {
		d.Messages = append(d.Messages, id)
	}
	if d.Channel == 0 || len(d.Messages) == 0 {
		return Delete{}, malformed("a deletion without ids")
	}
	return d, nil
}

// DecodeChannel reads a channel or a thread.
func DecodeChannel(raw json.RawMessage) (Channel, error) {
	c := decodeChannel(parseObject(raw))
	return c, needID(uint64(c.ID), "a channel")
}

// DecodeGuild reads a guild.
func DecodeGuild(raw json.RawMessage) (Guild, error) {
	g := decodeGuild(parseObject(raw))
	return g, needID(uint64(g.ID), "a guild")
}

// DecodeMember reads a member from REST or from an event.
func DecodeMember(raw json.RawMessage) (Member, error) {
	o := parseObject(raw)
	if o == nil {
		return Member{}, malformed("a member")
	}
	return decodeMember(o), nil
}

// DecodeMemberUpdate reads GUILD_MEMBER_ADD and GUILD_MEMBER_UPDATE.
func DecodeMemberUpdate(raw json.RawMessage) (MemberUpdate, error) {
	o := parseObject(raw)
	m := MemberUpdate{Guild: graph.GuildID(o.bits("guild_id")), Member: decodeMember(o)}
	return m, needID(uint64(m.Guild), "a member")
}

// DecodeRoleUpdate reads GUILD_ROLE_CREATE, GUILD_ROLE_UPDATE and GUILD_ROLE_DELETE.
func DecodeRoleUpdate(raw json.RawMessage) (RoleUpdate, error) {
	o := parseObject(raw)
	r := RoleUpdate{Guild: graph.GuildID(o.bits("guild_id"))}
	if role := o.object("role"); role != nil {
		r.Role = decodeRole(role)
	} else {
		r.Role.ID, r.Gone = graph.RoleID(o.bits("role_id")), true
	}
	return r, needID(min(uint64(r.Guild), uint64(r.Role.ID)), "a role")
}

// DecodeThreadSync reads THREAD_LIST_SYNC.
func DecodeThreadSync(raw json.RawMessage) (ThreadSync, error) {
	o := parseObject(raw)
	s := ThreadSync{
		Guild:    graph.GuildID(o.bits("guild_id")),
		Channels: idsOf[graph.ChannelID](o, "channel_ids"),
		Threads:  eachOf(o, "threads", decodeChannel),
	}
	for i := range s.Threads {
		s.Threads[i].Guild = s.Guild
	}
	return s, needID(uint64(s.Guild), "a list of threads")
}

func needID(id uint64, what string) error {
	if id == 0 {
		return malformed(what)
	}
	return nil
}

func malformed(what string) error { return fmt.Errorf("%w: %s", ErrMalformed, what) }
