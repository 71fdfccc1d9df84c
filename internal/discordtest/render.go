package discordtest

import (
	"encoding/json"
	"slices"

	"heddle/graph"
)

// viewer is the reader for whom a message is rendered.
type viewer struct {
	bot *bot
	// content is set if the viewer may read messages that do not concern it.
	content bool
	// gateway is set for events, which carry more than REST answers.
	gateway bool
	// fresh is set for the answer to a create and its event, which carry the nonce.
	fresh bool
}

type wireMessage struct {
	ID              graph.MessageID   `json:"id"`
	Channel         graph.ChannelID   `json:"channel_id"`
	Author          wireUser          `json:"author"`
	Content         string            `json:"content"`
	Timestamp       string            `json:"timestamp"`
	EditedTimestamp *string           `json:"edited_timestamp"`
	TTS             bool              `json:"tts"`
	MentionEveryone bool              `json:"mention_everyone"`
	Mentions        []wireMention     `json:"mentions"`
	MentionRoles    []graph.RoleID    `json:"mention_roles"`
	Attachments     []wireAttachment  `json:"attachments"`
	Embeds          json.RawMessage   `json:"embeds"`
	Components      json.RawMessage   `json:"components"`
	Pinned          bool              `json:"pinned"`
	Type            int               `json:"type"`
	Flags           int               `json:"flags"`
	Nonce           json.RawMessage   `json:"nonce,omitempty"`
	Reference       *wireReference    `json:"message_reference,omitempty"`
	Referenced      json.RawMessage   `json:"referenced_message,omitempty"`
	Snapshots       []json.RawMessage `json:"message_snapshots,omitempty"`
	Stickers        json.RawMessage   `json:"sticker_items,omitempty"`
	Poll            object            `json:"poll,omitempty"`
	Thread          object            `json:"thread,omitempty"`
	Webhook         graph.UserID      `json:"webhook_id,omitempty"`
	Application     graph.UserID      `json:"application_id,omitempty"`
	Reactions       []object          `json:"reactions,omitempty"`
	Metadata        object            `json:"interaction_metadata,omitempty"`
	Interaction     object            `json:"interaction,omitempty"`
	Guild           graph.GuildID     `json:"guild_id,omitempty"`
	Member          object            `json:"member,omitempty"`
	ChannelType     *ChannelKind      `json:"channel_type,omitempty"`
}

type wireReference struct {
	Type    int             `json:"type"`
	Guild   graph.GuildID   `json:"guild_id,omitempty"`
	Channel graph.ChannelID `json:"channel_id"`
	Message graph.MessageID `json:"message_id,omitempty"`
}

// rendering renders messages for a viewer.
type rendering struct {
	world *world
	viewer
}

// message returns a message of c with the message that it refers to.
func (r rendering) message(c *channel, m *Message) json.RawMessage {
	w := r.part(m)
	if m.Reference != nil && (m.Type == TypeReply || m.Type == TypeThreadStarter || m.Type == TypePollResult) {
		w.Referenced = json.RawMessage("null")
		if target := r.world.find(m.Reference); target != nil {
			w.Referenced = encode(r.part(target), target)
		}
	}
	if r.fresh {
		w.Nonce = m.nonce
	}
	if r.gateway {
		w.ChannelType = &c.kind
		if c.guild != nil {
			w.Guild = c.guild.id
			if from := c.guild.member(m.Author); from != nil {
				w.Member = wireMembership(from)
			}
		}
	}
	return encode(w, m)
}

// part returns a message without what surrounds it.
func (r rendering) part(m *Message) *wireMessage {
	w := &wireMessage{
		ID: m.ID, Channel: m.Channel, Content: m.Content, Timestamp: wireTime(m.ID.Time()),
		MentionEveryone: m.MentionEveryone, MentionRoles: append([]graph.RoleID{}, m.MentionRoles...), Type: m.Type, Flags: m.Flags,
		Embeds: json.RawMessage("[]"), Components: json.RawMessage("[]"),
		Mentions: make([]wireMention, 0, len(m.Mentions)), Attachments: make([]wireAttachment, 0, len(m.Attachments)),
	}
	if u := r.world.users[m.Author]; u != nil {
		w.Author = wireUserOf(u)
	}
	if !m.Edited.IsZero() {
		at := wireTime(m.Edited)
		w.EditedTimestamp = &at
	}
	for _, id := range m.Mentions {
		if u := r.world.users[id]; u != nil {
			w.Mentions = append(w.Mentions, r.mention(m, u))
		}
	}
	for i := range m.Attachments {
		if !m.Attachments[i].embedded {
			w.Attachments = append(w.Attachments, r.world.wireAttachment(filePath(m.Channel, &m.Attachments[i]), &m.Attachments[i]))
		}
	}
	if to := m.Reference; to != nil {
		w.Reference = &wireReference{Guild: to.Guild, Channel: to.Channel, Message: to.Message}
		if to.Forward {
			w.Reference.Type = 1
		}
	}
	r.rare(w, m)
	if !r.mayRead(m) {
		w.Content, w.Attachments = "", []wireAttachment{}
		w.Embeds, w.Components, w.Poll = json.RawMessage("[]"), json.RawMessage("[]"), nil
	}
	return w
}

// mention returns a user that m mentions.
func (r rendering) mention(m *Message, u *user) wireMention {
	w := wireMention{wireUser: wireUserOf(u)}
	if c := r.world.channels[m.Channel]; r.gateway && c != nil && c.guild != nil {
		if of := c.guild.member(u.id); of != nil {
			w.Member = wireMembership(of)
		}
	}
	return w
}

// rare sets what few messages have.
func (r rendering) rare(w *wireMessage, m *Message) {
	w.Stickers, w.Reactions = m.Stickers, wireReactions(m, r.viewer)
	if !isNull(m.Embeds) {
		w.Embeds = m.Embeds
	}
	if !isNull(m.Components) {
		w.Components = m.Components
	}
	if m.Poll != nil {
		w.Poll = wirePoll(m.Poll, r.viewer)
	}
	if m.Snapshot != nil {
		w.Snapshots = []json.RawMessage{m.Snapshot}
	}
	if t := r.world.channels[m.Thread]; t != nil {
		w.Thread = wireChannelOf(t)
	}
	if u := m.use; u != nil {
		by := wireUserOf(r.world.users[u.who])
		w.Webhook, w.Application = u.application, u.application
		w.Metadata = object{"id": u.id, "type": u.kind, "user": by, "authorizing_integration_owners": u.owners}
		if u.command != "" {
			w.Interaction = object{"id": u.id, "type": u.kind, "name": u.command, "user": by}
		}
	}
	if m.Webhook != "" {
		w.Webhook, w.Application = m.Author, m.Application
		w.Author = wireUser{ID: m.Author, Username: m.Webhook, Discriminator: "0000", Bot: true}
	}
}

// mayRead reports whether the viewer may read what m says: with the intent every
// message, without it its own, direct messages and those that mention it.
func (r rendering) mayRead(m *Message) bool {
	if r.content || r.bot == nil || m.Author == r.bot.id || slices.Contains(m.Mentions, r.bot.id) {
		return true
	}
	c := r.world.channels[m.Channel]
	return c == nil || c.guild == nil
}

// encode returns w as JSON, with the raw fields of m.
func encode(w *wireMessage, m *Message) json.RawMessage {
	body := mustJSON(w)
	if len(m.raw) == 0 {
		return body
	}
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	for name, value := range m.raw {
		fields[name] = mustJSON(value)
	}
	return mustJSON(fields)
}

// mustJSON encodes what this package built. It panics on invalid raw JSON of a test,
// which must not go out.
func mustJSON(v any) json.RawMessage {
	body, err := json.Marshal(v)
	if err != nil {
		panic("discordtest: " + err.Error())
	}
	return body
}
