package discord

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"heddle/graph"
)

// Ready is the first dispatch of a gateway session.
type Ready struct {
	User      User    `wire:"user"`
	Session   string  `wire:"session_id"` // by which the session is resumed
	ResumeURL string  `wire:"resume_gateway_url"`
	Guilds    []Guild `wire:"guilds"` // ids only, unavailable until their GUILD_CREATE
}

// Delete lists deleted messages: one of MESSAGE_DELETE, several of MESSAGE_DELETE_BULK.
type Delete struct {
	Channel  graph.ChannelID   `wire:"channel_id"`
	Guild    graph.GuildID     `wire:"guild_id"` // zero in direct messages
	Messages []graph.MessageID `wire:"ids"`
}

// MemberUpdate is a member that joined, changed or was read.
type MemberUpdate struct {
	Guild  graph.GuildID `wire:"guild_id"`
	Member Member
}

// RoleUpdate is a role that was created, changed or, if Gone is set, deleted.
type RoleUpdate struct {
	Guild graph.GuildID `wire:"guild_id"`
	Role  Role          `wire:"role"`
	Gone  bool
}

// ThreadSync lists the active threads of some channels, or of all channels of a guild.
type ThreadSync struct {
	Guild    graph.GuildID     `wire:"guild_id"`
	Channels []graph.ChannelID `wire:"channel_ids"` // the threads' parents; empty means every channel of the guild
	Threads  []Channel         `wire:"threads"`     // every active thread of them that the bot may see
}

// About reports whether s lists the active threads of a channel.
func (s ThreadSync) About(channel graph.ChannelID) bool {
	return len(s.Channels) == 0 || slices.Contains(s.Channels, channel)
}

// Payload is a message of the gateway.
type Payload struct {
	Op       int             `json:"op"`
	Sequence int64           `json:"s"`
	Name     string          `json:"t"`
	Data     json.RawMessage `json:"d"`
}

// Offer is how Discord lets a bot connect: its answer to GET /gateway/bot. Servers that
// imitate Discord may send nothing but the URL.
type Offer struct {
	URL         string        `wire:"url"`
	Shards      int           `wire:"shards"`                              // the number of shards that Discord recommends; 0 if it recommends none
	Concurrency int           `wire:"session_start_limit/max_concurrency"` // how many shards may identify at once; at least 1
	Limited     bool          // the server limits identifies, and the fields below are set
	Left        int           `wire:"session_start_limit/remaining"` // identifies left until Reset
	Reset       time.Duration // until all are available again
}

// DecodeOffer reads an Offer, which has no URL if raw is none.
func DecodeOffer(raw json.RawMessage) Offer { return decode[Offer](raw) }

// complete implements completer.
func (o *Offer) complete(all object, _ int) {
	o.Shards, o.Concurrency = max(o.Shards, 0), max(o.Concurrency, 1)
	limit := parseObject(all["session_start_limit"])
	o.Limited, o.Reset = limit != nil, time.Duration(integerOf(limit["reset_after"]))*time.Millisecond
}

// DecodeReady reads READY.
func DecodeReady(raw json.RawMessage) (Ready, error) {
	if parseObject(raw) == nil {
		return Ready{}, malformed("READY")
	}
	return decode[Ready](raw), nil
}

// DecodeDelete reads MESSAGE_DELETE or MESSAGE_DELETE_BULK.
func DecodeDelete(raw json.RawMessage) (Delete, error) {
	d := decode[Delete](raw)
	if d.Channel == 0 || len(d.Messages) == 0 {
		return Delete{}, malformed("a deletion without ids")
	}
	return d, nil
}

// complete implements completer. The deletion of one message has an id alone.
func (d *Delete) complete(o object, _ int) {
	if id := graph.MessageID(bitsOf(o["id"])); id != 0 {
		d.Messages = append(d.Messages, id)
	}
}

// DecodeUser reads the answer of /users/@me.
func DecodeUser(raw json.RawMessage) (User, error) {
	u := decode[User](raw)
	return u, needID(uint64(u.ID), "a user")
}

// DecodeGuilds reads the answer of /users/@me/guilds. What is not a guild is skipped.
func DecodeGuilds(raw json.RawMessage) (all []Guild) {
	set(fieldOf(&all), raw, 0)
	return all
}

// DecodeChannels reads the answer of /guilds/{id}/channels. What is not a channel is
// skipped.
func DecodeChannels(raw json.RawMessage) (all []Channel) {
	set(fieldOf(&all), raw, 0)
	return all
}

// DecodeChannel reads a channel or a thread.
func DecodeChannel(raw json.RawMessage) (Channel, error) {
	c := decode[Channel](raw)
	return c, needID(uint64(c.ID), "a channel")
}

// DecodeGuild reads a guild.
func DecodeGuild(raw json.RawMessage) (Guild, error) {
	g := decode[Guild](raw)
	return g, needID(uint64(g.ID), "a guild")
}

// DecodeMember reads a member from REST or from an event.
func DecodeMember(raw json.RawMessage) (Member, error) {
	if parseObject(raw) == nil {
		return Member{}, malformed("a member")
	}
	return decode[Member](raw), nil
}

// DecodeMemberUpdate reads GUILD_MEMBER_ADD and GUILD_MEMBER_UPDATE, which hold the fields
// of a member beside the guild.
func DecodeMemberUpdate(raw json.RawMessage) (MemberUpdate, error) {
	m := decode[MemberUpdate](raw)
	m.Member = decode[Member](raw)
	return m, needID(uint64(m.Guild), "a member")
}

// DecodeRoleUpdate reads GUILD_ROLE_CREATE, GUILD_ROLE_UPDATE and GUILD_ROLE_DELETE.
func DecodeRoleUpdate(raw json.RawMessage) (RoleUpdate, error) {
	r := decode[RoleUpdate](raw)
	return r, needID(min(uint64(r.Guild), uint64(r.Role.ID)), "a role")
}

// complete implements completer. The deletion of a role has its id alone.
func (r *RoleUpdate) complete(o object, _ int) {
	if parseObject(o["role"]) == nil {
		r.Role.ID, r.Gone = graph.RoleID(bitsOf(o["role_id"])), true
	}
}

// DecodeThreadSync reads THREAD_LIST_SYNC.
func DecodeThreadSync(raw json.RawMessage) (ThreadSync, error) {
	s := decode[ThreadSync](raw)
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
