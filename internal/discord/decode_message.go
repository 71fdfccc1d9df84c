package discord

import (
	"encoding/json"
	"errors"
	"fmt"

	"heddle/graph"
)

// ErrMalformed means that a payload cannot be decoded. Unexpected fields inside a
// payload do not cause it; they are treated as absent.
var ErrMalformed = errors.New("malformed payload")

// DecodeMessage reads a message, whole or partial. It fails only if raw is not an
// object or has no id.
func DecodeMessage(raw json.RawMessage) (Message, error) {
	return messageOf(parseObject(raw))
}

func messageOf(o object) (Message, error) {
	if o == nil {
		return Message{}, fmt.Errorf("%w: a message is not an object", ErrMalformed)
	}
	m := decodeMessage(o, 0)
	if m.ID == 0 {
		return Message{}, fmt.Errorf("%w: a message has no id", ErrMalformed)
	}
	return m, nil
}

// Page is a list of messages from REST.
type Page struct {
	Messages []Message // in the order of the payload
	// Count is the number of entries, including unreadable ones.
	Count int
}

// DecodePage reads a list of messages and skips entries that cannot be read. It fails
// only if raw is not a list.
func DecodePage(raw json.RawMessage) (Page, error) {
	items, ok := listOf(raw)
	if !ok {
		return Page{}, fmt.Errorf("%w: a page of messages is not a list", ErrMalformed)
	}
	page := Page{Messages: make([]Message, 0, len(items)), Count: len(items)}
	for _, item := range items {
		if m, err := messageOf(fieldsOf(item)); err == nil {
			page.Messages = append(page.Messages, m)
		}
	}
	return page, nil
}

// decodeMessage reads a message. Fields that are missing or have a wrong type are left
// zero. depth is how many messages this one is nested in.
func decodeMessage(o object, depth int) Message {
	m := Message{Present: presentIn(o)}
	m.ID = graph.MessageID(o.bits("id"))
	m.Channel = graph.ChannelID(o.bits("channel_id"))
	m.Guild = graph.GuildID(o.bits("guild_id"))
	if author := o.object("author"); author != nil {
		m.Author = decodeUser(author)
	}
	if m.Author.ID != 0 { // an author without an id is ignored
		m.Present |= HasAuthor
	}
	m.Member = memberOf(o)
	m.Type = MessageType(o.integer("type"))
	m.Flags = o.bits("flags")
	m.Webhook = o.bits("webhook_id")
	m.Application = graph.UserID(o.bits("application_id"))
	m.Content = o.text("content")
	m.Edited = o.moment("edited_timestamp")
	if m.Time = o.moment("timestamp"); m.Time.IsZero() && m.ID != 0 {
		m.Time = m.ID.Time().UTC()
	}
	m.Mentions = eachOf(o, "mentions", decodeUser)
	m.MentionRoles = idsOf[graph.RoleID](o, "mention_roles")
	m.MentionChannels = eachOf(o, "mention_channels", decodeChannel)
	m.decodeExtras(o, depth)
	m.decodeReferences(o, depth)
	return m
}

// decodeExtras reads what a message holds besides its content.
func (m *Message) decodeExtras(o object, depth int) {
	m.Attachments = eachOf(o, "attachments", decodeAttachment)
	m.Embeds = eachOf(o, "embeds", decodeEmbed)
	m.Stickers = eachOf(o, "sticker_items", decodeSticker)
	if len(m.Stickers) == 0 {
		m.Stickers = eachOf(o, "stickers", decodeSticker)
	}
	m.Components = decodeComponents(o.objects("components"), depth)
	if poll := o.object("poll"); poll != nil {
		m.Poll = decodePoll(poll)
	}
	m.Interaction = decodeInteraction(o)
}

// decodeReferences reads what a message refers to: the reference, the message replied to,
// and the snapshots of a forward.
func (m *Message) decodeReferences(o object, depth int) {
	if r := o.object("message_reference"); r != nil {
		m.Reference = &Reference{
			Forward: r.integer("type") == 1,
			Message: graph.MessageID(r.bits("message_id")),
			Channel: graph.ChannelID(r.bits("channel_id")),
		}
	}
	if r := m.Reference; r != nil && m.Type == TypeDefault && !r.Forward && r.Message != 0 && (r.Channel == 0 || r.Channel == m.Channel) {
		m.Type = TypeReply // Discord sets the type of replies; other servers may not
	}
	switch referenced := o.object("referenced_message"); {
	case o.isNull("referenced_message"):
		m.ReferencedState = ReferencedNull
	case referenced != nil && depth < maxDepth:
		decoded := decodeMessage(referenced, depth+1)
		if decoded.ID != 0 {
			m.Referenced, m.ReferencedState = &decoded, ReferencedGiven
		}
	}
	if depth >= maxDepth {
		return
	}
	for _, item := range o.objects("message_snapshots") {
		if inner := item.object("message"); inner != nil {
			m.Snapshots = append(m.Snapshots, Snapshot{Message: decodeMessage(inner, depth+1)})
		}
	}
}

// decodeInteraction reads by which command a message was made, or returns nil. Discord
// has two fields for it, a newer and an older one.
func decodeInteraction(o object) *CommandUse {
	var found *CommandUse
	for _, name := range [...]string{"interaction_metadata", "interaction"} {
		inner := o.object(name)
		if inner == nil {
			continue
		}
		if found == nil {
			found = &CommandUse{}
		}
		if user := inner.object("user"); user != nil && found.User.ID == 0 {
			found.User = decodeUser(user)
		}
		if found.Name == "" {
			found.Name = inner.text("name")
		}
	}
	return found
}

// presentIn returns which fields of a message an object holds, as a partial update holds
// only some.
func presentIn(o object) Fields {
	var present Fields
	for _, field := range [...]struct {
		name string
		bit  Fields
	}{
		{"content", HasContent},
		{"attachments", HasAttachments},
		{"embeds", HasEmbeds},
		{"components", HasComponents},
		{"mentions", HasMentions},
		{"poll", HasPoll},
		{"sticker_items", HasStickers},
		{"message_snapshots", HasSnapshots},
	} {
		if o.field(field.name) != nil {
			present |= field.bit
		}
	}
	if o.given("edited_timestamp") {
		present |= HasEdited
	}
	return present
}
