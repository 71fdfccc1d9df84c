package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/graph"
)

// Draft is a message that a person sends. Content alone is enough.
type Draft struct {
	Content string
	// ReplyTo is the message of the same channel that is answered. It need not
	// exist (any more): then the reply's referenced_message is null.
	ReplyTo graph.MessageID
	// NoPing is a reply with the ping switched off.
	NoPing bool
	// Forward is the message that is forwarded, from ForwardFrom.
	Forward     graph.MessageID
	ForwardFrom graph.ChannelID

	Attachments []Attachment
	// Embeds, Components and Stickers are JSON arrays, Poll is an object.
	Embeds, Components, Stickers, Poll json.RawMessage
	// Type is Discord's message type; TypeReply is set by ReplyTo.
	Type  int
	Flags int
	// Webhook, if set, is the name under which a webhook sends; the author given
	// is then the webhook's id and need not be a user.
	Webhook string
	// At back-dates the message, ID gives it an id of its own. Both zero is now.
	At time.Time
	ID graph.MessageID
	// Raw holds wire fields that are sent in place of what the server would say,
	// or beside it: unknown fields, wrong types, components of the future.
	Raw map[string]any
	// Author is who sends, for Backfill alone.
	Author graph.UserID
}

// Post sends a message as a person (or as a bot, without REST). Bots that may
// see it get MESSAGE_CREATE, back-dated ones included. The permissions of people
// are not checked, the limits on content are.
func (s *Server) Post(id graph.ChannelID, author graph.UserID, d Draft) (graph.MessageID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.world.channels[id]
	if c == nil {
		return 0, fmt.Errorf("post in channel %s: %w", id, errUnknownChannel())
	}
	m, err := s.draftLocked(c, author, &d)
	if err != nil {
		return 0, fmt.Errorf("post in channel %s: %w", id, err)
	}
	s.storeLocked(c, m)
	return m.ID, nil
}

// Backfill puts many messages into a channel's past at once, without events and
// happenings. Each draft names its Author, and At or ID.
func (s *Server) Backfill(id graph.ChannelID, drafts []Draft) ([]graph.MessageID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.world.channels[id]
	if c == nil {
		return nil, fmt.Errorf("backfill channel %s: %w", id, errUnknownChannel())
	}
	ids := make([]graph.MessageID, len(drafts))
	c.messages = slices.Grow(c.messages, len(drafts))
	for i := range drafts {
		m, err := s.draftLocked(c, drafts[i].Author, &drafts[i])
		if err != nil {
			return nil, fmt.Errorf("backfill channel %s, draft %d: %w", id, i, err)
		}
		ids[i] = m.ID
		c.messages = append(c.messages, m)
	}
	slices.SortStableFunc(c.messages, func(a, b *Message) int { return compareID(a, b.ID) })
	s.wakeLocked()
	return ids, nil
}

func (s *Server) draftLocked(c *channel, author graph.UserID, d *Draft) (*Message, error) {
	if d.Webhook == "" && s.world.users[author] == nil {
		return nil, errUnknownUser()
	}
	m := &Message{
		ID: s.draftIDLocked(c, d), Channel: c.id, Author: author, Type: d.Type, Flags: d.Flags,
		Content: strings.TrimSpace(d.Content), Attachments: s.adoptLocked(d.Attachments),
	}
	if d.Embeds != nil || d.Components != nil || d.Stickers != nil || d.Poll != nil || d.Webhook != "" || d.Raw != nil {
		m.More = &More{
			Embeds: d.Embeds, Components: d.Components, Stickers: d.Stickers, Poll: d.Poll,
			Webhook: d.Webhook, Raw: d.Raw,
		}
	}
	if d.Type == TypeDefault && d.Raw == nil {
		p := &parts{
			content: m.Content, embeds: d.Embeds, components: d.Components, poll: d.Poll,
			stickers: count(d.Stickers), files: len(d.Attachments), flags: d.Flags,
		}
		if d.Forward != 0 {
			p.reference = 1
		}
		if err := p.validate(); err != nil {
			return nil, err
		}
	}
	if err := s.draftReferenceLocked(c, m, d); err != nil {
		return nil, err
	}
	allowed := &allowedMentions{everyone: true, users: true, roles: true, repliedUser: !d.NoPing}
	s.mentionLocked(c, m, allowed)
	return m, nil
}

func (s *Server) draftIDLocked(c *channel, d *Draft) graph.MessageID {
	switch {
	case d.ID != 0:
		return d.ID
	case !d.At.IsZero():
		return graph.MessageID(s.ids.at(d.At))
	case c.parent != nil && c.parent.kind == Forum && len(c.messages) == 0:
		return graph.MessageID(c.id)
	}
	return graph.MessageID(s.nextID())
}

func (s *Server) draftReferenceLocked(c *channel, m *Message, d *Draft) error {
	if d.ReplyTo != 0 {
		m.Type = TypeReply
		m.Reference = c.referenceTo(d.ReplyTo)
	}
	if d.Forward == 0 {
		return nil
	}
	from := s.world.channels[d.ForwardFrom]
	if from == nil {
		from = c
	}
	target := from.messages.find(d.Forward)
	if target == nil {
		return errUnknownMessage()
	}
	s.snapshotLocked(from, m, target)
	return nil
}

// Edit changes a message's content, whoever wrote it.
func (s *Server) Edit(id graph.ChannelID, message graph.MessageID, content string) error {
	return s.changeMessage(id, message, func(c *channel, m *Message) {
		m.Content = strings.TrimSpace(content)
		m.Edited = s.clock()
		s.mentionLocked(c, m, nil)
	})
}

// SetEmbeds replaces a message's embeds, as Discord does once it has looked up a
// link: an update with the same content and edit time.
func (s *Server) SetEmbeds(id graph.ChannelID, message graph.MessageID, embeds json.RawMessage) error {
	return s.changeMessage(id, message, func(_ *channel, m *Message) { m.more().Embeds = embeds })
}

// RemoveAttachment takes one attachment from a message, as its author can.
func (s *Server) RemoveAttachment(id graph.ChannelID, message graph.MessageID, file graph.AttachmentID) error {
	return s.changeMessage(id, message, func(_ *channel, m *Message) {
		m.Attachments = slices.DeleteFunc(slices.Clone(m.Attachments), func(a Attachment) bool { return a.ID == file })
		m.Edited = s.clock()
	})
}

func (s *Server) changeMessage(id graph.ChannelID, message graph.MessageID, change func(*channel, *Message)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.world.channels[id]
	if c == nil {
		return fmt.Errorf("change message %s: %w", message, errUnknownChannel())
	}
	held := c.messages.find(message)
	if held == nil {
		return fmt.Errorf("change message %s: %w", message, errUnknownMessage())
	}
	m := *held
	change(c, &m)
	s.replaceLocked(c, &m)
	return nil
}

// Delete deletes messages of one channel: one with MESSAGE_DELETE, several with
// MESSAGE_DELETE_BULK. Messages that do not exist are passed over; the result
// is how many did.
func (s *Server) Delete(id graph.ChannelID, messages ...graph.MessageID) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deleteLocked(s.world.mustChannel(id), messages...)
}

// Type shows a person typing.
func (s *Server) Type(id graph.ChannelID, who graph.UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.typeLocked(s.world.mustChannel(id), who)
}

// Messages are a channel's messages, oldest first.
func (s *Server) Messages(id graph.ChannelID) []Message {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c := s.world.mustChannel(id)
	all := make([]Message, len(c.messages))
	for i, m := range c.messages {
		all[i] = *m
	}
	return all
}

// Message is the newest version of one message; false if there is none.
func (s *Server) Message(id graph.ChannelID, message graph.MessageID) (Message, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if m := s.world.mustChannel(id).messages.find(message); m != nil {
		return *m, true
	}
	return Message{}, false
}
