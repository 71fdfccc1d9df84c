package discord

import (
	"encoding/json"
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

// MembersChunk is an answer to a request for members of a guild.
type MembersChunk struct {
	Guild   graph.GuildID  `wire:"guild_id"`
	Members []Member       `wire:"members"`
	Missing []graph.UserID `wire:"not_found"` // who was asked for and is no member
}

// RateLimited says that a payload was refused because too many were sent.
type RateLimited struct {
	Op    int     `wire:"opcode"`
	After float64 `wire:"retry_after"` // seconds
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
func (s *ThreadSync) About(channel graph.ChannelID) bool {
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

// complete implements completer. The deletion of one message has an id alone.
func (d *Delete) complete(o object, _ int) {
	if id := graph.MessageID(bitsOf(o["id"])); id != 0 {
		d.Messages = append(d.Messages, id)
	}
}

// DecodeGuilds reads the answer of /users/@me/guilds. What is not a guild is skipped.
func DecodeGuilds(raw json.RawMessage) []Guild { return decode[[]Guild](raw) }

// DecodeEmbeds reads the embeds of a message. What is not an embed is skipped.
func DecodeEmbeds(raw json.RawMessage) []Embed { return decode[[]Embed](raw) }

// DecodeChannels reads the answer of /guilds/{id}/channels. What is not a channel is
// skipped.
func DecodeChannels(raw json.RawMessage) []Channel { return decode[[]Channel](raw) }

// complete implements completer. The fields of the member stand beside the guild.
func (m *MemberUpdate) complete(o object, depth int) { setFields(fieldOf(&m.Member), o, depth) }

// complete implements completer. The deletion of a role has its id alone.
func (r *RoleUpdate) complete(o object, _ int) {
	if parseObject(o["role"]) == nil {
		r.Role.ID, r.Gone = graph.RoleID(bitsOf(o["role_id"])), true
	}
}

// complete implements completer.
func (s *ThreadSync) complete(object, int) {
	for i := range s.Threads {
		s.Threads[i].Guild = s.Guild
	}
}
