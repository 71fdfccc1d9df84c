package discordtest

import (
	"encoding/json"
	"strings"
	"time"

	"heddle/graph"
)

// Draft is a message that a person sends. Only Content is required.
type Draft struct {
	Content string
	// ReplyTo is the message of the same channel that is answered. It need not
	// exist: the reply's referenced_message is then null.
	ReplyTo graph.MessageID
	// NoPing switches the reply's ping off.
	NoPing bool
	// Forward is the message that is forwarded, from ForwardFrom.
	Forward     graph.MessageID
	ForwardFrom graph.ChannelID

	Attachments []Attachment
	// Embeds, Components and Stickers are JSON arrays.
	Embeds, Components, Stickers json.RawMessage
	// Poll is sent with the message.
	Poll *Poll
	// Type is Discord's message type. ReplyTo sets it to TypeReply.
	Type  int
	Flags int
	// Webhook, if set, is the name of the webhook that sends the message. The author is
	// then the webhook's id, and need not be a user.
	Webhook string
	// Application is the application that owns the webhook; zero if none does.
	Application graph.UserID
	// At back-dates the message. ID sets its id. If both are zero it is sent now.
	At time.Time
	ID graph.MessageID
	// Raw holds wire fields that replace or join those that the server renders:
	// unknown fields, wrong types, components of the future.
	Raw map[string]any
	// Author is who sends. Only Backfill reads it.
	Author graph.UserID
}

// message makes the message that d describes, without storing it.
func (d *Draft) message(c *channel, author graph.UserID) (*Message, error) {
	if d.Webhook == "" && c.world.users[author] == nil {
		return nil, errUnknownUser()
	}
	m := &Message{
		ID: d.id(c), Channel: c.id, Author: author, Type: d.Type, Flags: d.Flags, Webhook: d.Webhook, Application: d.Application,
		Content: strings.TrimSpace(d.Content), Attachments: c.world.adopt(d.Attachments),
		Embeds: d.Embeds, Components: d.Components, Stickers: d.Stickers, raw: d.Raw,
	}
	c.world.unfurl(m)
	if d.Poll != nil {
		m.Poll = d.Poll.begun(m.ID.Time())
		if err := d.Poll.validate(); err != nil {
			return nil, err
		}
	}
	if err := d.refer(c, m); err != nil {
		return nil, err
	}
	allowed := allowAll()
	allowed.RepliedUser = !d.NoPing
	allowed.mark(c, m)
	if d.Type == TypeDefault && d.Raw == nil {
		return m, m.validate()
	}
	return m, nil
}

// id returns the id of the message that the draft becomes. The first message of a thread in
// a forum has the id of the thread.
func (d *Draft) id(c *channel) graph.MessageID {
	switch {
	case d.ID != 0:
		return d.ID
	case !d.At.IsZero():
		return graph.MessageID(c.world.ids.at(d.At))
	case c.parent != nil && c.parent.kind.holdsPosts() && len(c.messages) == 0:
		return graph.MessageID(c.id)
	}
	return idIn(c)
}

// refer sets what m replies to or forwards.
func (d *Draft) refer(c *channel, m *Message) error {
	if d.ReplyTo != 0 {
		m.Type = TypeReply
		m.Reference = c.referenceTo(d.ReplyTo)
	}
	if d.Forward == 0 {
		return nil
	}
	from := c.world.channels[d.ForwardFrom]
	if from == nil {
		from = c
	}
	target := from.messages.find(d.Forward)
	if target == nil {
		return errUnknownMessage()
	}
	from.forward(target, m)
	return nil
}
