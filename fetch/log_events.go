package fetch

import (
	"heddle/graph"
	"heddle/internal/discord"
)

// how is how a version of a message became known. Of two versions with the same edit
// time, that of an update is the later one, as link previews arrive that way.
type how uint8

const (
	byPage how = iota
	byCreate
	byUpdate
)

// created adds a new message. From it on, the log hears every message.
func (c *channelLog) created(m *discord.Message, self graph.UserID, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(m, self, byCreate)
	c.covered.hear(m.ID)
	c.contents.trim(limit)
}

// updated adds a new version, whole or partial, and reports whether somebody edited the
// content. Link previews, pins and the like are no edits.
func (c *channelLog) updated(m *discord.Message, self graph.UserID, limit int) (edited bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, held := c.messages.version(m.ID)
	c.update(m, self, limit)
	after, holds := c.messages.version(m.ID)
	if !held || !holds {
		return holds && !m.Edited.IsZero()
	}
	return after.edited > before.edited && after.text != before.text
}

// deleted removes messages and remembers that they are gone, so that a late event or
// page does not bring them back.
func (c *channelLog) deleted(ids []graph.MessageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.messages.remove(id)
	}
}

// said adds an own message as Discord returned it, and records which trigger it
// answers. If the response is incomplete, what is known is held until the message's
// event arrives.
func (c *channelLog) said(m *discord.Message, trigger graph.MessageID, self graph.UserID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages.answers(m.ID, trigger)
	if m.Whole() {
		c.note(m, self, byCreate)
		return
	}
	if c.messages.find(m.ID) >= 0 || c.messages.gone.has(m.ID) {
		return
	}
	e := entryOf(&c.messages, &discord.Message{
		ID: m.ID, Channel: c.id, Time: m.ID.Time().UTC(), Author: discord.User{ID: self, Bot: true},
		Type: discord.TypeReply, Content: m.Content,
	}, self)
	e.early = true
	c.messages.put(e)
}

// bind marks the messages that an answer is made from; see History.Bind.
func (c *channelLog) bind(ids []graph.MessageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if at := c.messages.find(id); at >= 0 && !c.messages.entries[at].own() {
			c.messages.entries[at].bound = true
		}
	}
}
