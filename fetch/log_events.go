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
	c.noteLocked(m, self, byCreate)
	c.covered.hear(m.ID)
	c.trimLocked(limit)
}

// updated adds a new version, whole or partial, and reports whether somebody edited the
// content. Link previews, pins and the like are no edits.
func (c *channelLog) updated(m *discord.Message, self graph.UserID, limit int) (edited bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, held := c.messages.version(m.ID)
	c.updateLocked(m, self, limit)
	after, holds := c.messages.version(m.ID)
	if !held || !holds {
		return holds && !m.Edited.IsZero()
	}
	return after.edited > before.edited && after.text != before.text
}

func (c *channelLog) updateLocked(m *discord.Message, self graph.UserID, limit int) {
	if m.Whole() {
		c.noteLocked(m, self, byUpdate)
		if c.covered.passed(m.ID) {
			c.covered.hear(m.ID) // its create event is late or lost
		}
		c.trimLocked(limit)
		return
	}
	at := c.messages.find(m.ID)
	if at < 0 || m.Has(discord.HasEdited) && micro(m.Edited) < c.messages.entries[at].edited {
		return
	}
	c.mergeLocked(at, m, self)
}

// mergeLocked adds what an incomplete message shows, such as its author.
func (c *channelLog) mergeLocked(at int, m *discord.Message, self graph.UserID) {
	if c.messages.isWithheld(at) {
		return
	}
	meet(&c.messages, m)
	held := &c.messages.entries[at]
	if !m.Has(discord.HasAuthor) {
		by := *m
		by.Author.ID = held.author
		m = &by
	}
	shown, _ := c.messages.withheld.veil(m, self)
	old := rendered{Message: held.message(c.id), content: int(held.content)}
	if held.more != nil {
		old.addresses = held.more.addresses
	}
	updated := renderUpdate(old, shown, self)
	e := newEntry(&updated)
	e.notice = held.notice && !m.Has(discord.HasContent) || isNotice(m, shown)
	c.messages.amend(at, e, shown)
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
		c.noteLocked(m, self, byCreate)
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

// noteLocked keeps the latest version of m, and what m shows about other messages.
func (c *channelLog) noteLocked(m *discord.Message, self graph.UserID, by how) {
	if m.Flags&discord.FlagEphemeral != 0 || m.ID == 0 {
		return // only one person sees it
	}
	c.noteReferencedLocked(m, self)
	if c.messages.gone.has(m.ID) {
		return
	}
	if self != 0 && m.Author.ID == self {
		c.messages.noteReply(m)
	}
	at := c.messages.find(m.ID)
	if at < 0 {
		c.messages.put(entryOf(&c.messages, m, self))
		return
	}
	held := &c.messages.entries[at]
	if edited := micro(m.Edited); held.early || edited > held.edited || edited == held.edited && by == byUpdate {
		if held.author != 0 && !m.Has(discord.HasAuthor) {
			c.mergeLocked(at, m, self)
			return
		}
		c.messages.amend(at, entryOf(&c.messages, m, self), m)
	}
}

// noteReferencedLocked uses the message that m replies to, which comes with m. It may
// show that the message is gone, what heddle's own part before replied to, or, if the
// log should hold the message and its event was lost, all of it.
func (c *channelLog) noteReferencedLocked(m *discord.Message, self graph.UserID) {
	if m.Type != discord.TypeReply || m.Reference == nil || (m.Reference.Channel != 0 && m.Reference.Channel != c.id) {
		return
	}
	if m.ReferencedState == discord.ReferencedNull && m.Reference.Message != 0 {
		c.messages.remove(m.Reference.Message)
		return
	}
	r := m.Referenced
	if r == nil || c.messages.gone.has(r.ID) {
		return
	}
	if self != 0 && r.Author.ID == self {
		c.messages.noteReply(r)
	}
	if r.Whole() && c.covered.find(r.ID) != nil && c.messages.find(r.ID) < 0 && r.Flags&discord.FlagEphemeral == 0 {
		c.messages.put(entryOf(&c.messages, r, self))
	}
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
