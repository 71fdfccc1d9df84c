package fetch

import (
	"heddle/graph"
	"heddle/internal/discord"
)

// how a version of a message came to be known. Of two versions with the same edit
// time an update's is the later one: link previews arrive that way.
type how uint8

const (
	byPage how = iota
	byCreate
	byUpdate
)

// created takes in a new message, and with it that the log hears of everything
// from here on.
func (c *channelLog) created(m *discord.Message, self graph.UserID, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noteLocked(m, self, byCreate)
	c.hearLocked(m.ID)
	c.trimLocked(limit)
}

// updated takes in a new version, whole or partial, and reports whether somebody edited
// the content: link previews, pins and the like are no edits.
func (c *channelLog) updated(m *discord.Message, self graph.UserID, limit int) (edited bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, held := c.versionLocked(m.ID)
	c.updateLocked(m, self, limit)
	after, holds := c.versionLocked(m.ID)
	if !held || !holds {
		return holds && !m.Edited.IsZero()
	}
	return after.edited > before.edited && after.text != before.text
}

// version distinguishes an edit from other updates.
type version struct {
	edited int64
	text   string // the content's
}

func (c *channelLog) versionLocked(id graph.MessageID) (version, bool) {
	at := c.findLocked(id)
	if at < 0 {
		return version{}, false
	}
	e := &c.entries[at]
	return version{edited: e.edited, text: e.text[:e.content]}, true
}

func (c *channelLog) updateLocked(m *discord.Message, self graph.UserID, limit int) {
	if m.Whole() {
		c.noteLocked(m, self, byUpdate)
		if n := len(c.spans); c.live && m.ID > c.spans[n-1].hi {
			c.hearLocked(m.ID) // its create is late or lost
		}
		c.trimLocked(limit)
		return
	}
	at := c.findLocked(m.ID)
	if at < 0 || m.Has(discord.HasEdited) && micro(m.Edited) < c.entries[at].edited {
		return
	}
	old := rendered{Message: c.entries[at].message(c.id), content: int(c.entries[at].content)}
	if held := c.entries[at].more; held != nil {
		old.addresses = held.addresses
	}
	updated := renderUpdate(old, m, self)
	c.amendLocked(at, newEntry(&updated), m)
}

// deleted takes messages out and remembers that they are gone, so that a create
// or a page that is late does not bring them back.
func (c *channelLog) deleted(ids []graph.MessageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.goneLocked(id)
	}
}

func (c *channelLog) goneLocked(id graph.MessageID) {
	c.gone.add(id)
	if at := c.findLocked(id); at >= 0 {
		c.takeLocked(at, at+1)
	}
}

// said takes in an own message as Discord answered with it, and learns for certain
// which trigger it answers. Where the answer said too little, what is known is held
// until the message's event comes.
func (c *channelLog) said(m *discord.Message, trigger graph.MessageID, self graph.UserID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replyLocked(m.ID, trigger, true)
	if m.Whole() {
		c.noteLocked(m, self, byCreate)
		return
	}
	if c.findLocked(m.ID) >= 0 || c.gone.has(m.ID) {
		return
	}
	r := render(&discord.Message{
		ID: m.ID, Channel: c.id, Time: m.ID.Time().UTC(), Author: discord.User{ID: self, Bot: true},
		Type: discord.TypeReply, Content: m.Content,
	}, self)
	e := newEntry(&r)
	e.early = true
	c.putLocked(e)
}

// noteLocked keeps the latest version of m, and learns what m tells about
// other messages.
func (c *channelLog) noteLocked(m *discord.Message, self graph.UserID, by how) {
	if m.Flags&discord.FlagEphemeral != 0 || m.ID == 0 {
		return // for one person's eyes
	}
	c.noteReferencedLocked(m, self)
	if c.gone.has(m.ID) {
		return
	}
	if self != 0 && m.Author.ID == self {
		c.noteReplyLocked(m)
	}
	at := c.findLocked(m.ID)
	if at < 0 {
		r := render(m, self)
		c.putLocked(newEntry(&r))
		return
	}
	held := &c.entries[at]
	if edited := micro(m.Edited); held.early || edited > held.edited || edited == held.edited && by == byUpdate {
		r := render(m, self)
		c.amendLocked(at, newEntry(&r), m)
	}
}

// noteReferencedLocked learns from the message that m replies to, which comes with
// it: that it is gone, what heddle's own part before replied to, and, where it
// should be held and its event was lost, all of it.
func (c *channelLog) noteReferencedLocked(m *discord.Message, self graph.UserID) {
	if m.Type != discord.TypeReply || m.Reference == nil || (m.Reference.Channel != 0 && m.Reference.Channel != c.id) {
		return
	}
	if m.ReferencedState == discord.ReferencedNull && m.Reference.Message != 0 {
		c.goneLocked(m.Reference.Message)
		return
	}
	r := m.Referenced
	if r == nil || c.gone.has(r.ID) {
		return
	}
	if self != 0 && r.Author.ID == self {
		c.noteReplyLocked(r)
	}
	if r.Whole() && c.spans.find(r.ID) != nil && c.findLocked(r.ID) < 0 && r.Flags&discord.FlagEphemeral == 0 {
		repaired := render(r, self)
		c.putLocked(newEntry(&repaired))
	}
}

func (c *channelLog) noteReplyLocked(m *discord.Message) {
	if m.Reference != nil && !m.Reference.Forward && m.Type == discord.TypeReply {
		c.replyLocked(m.ID, m.Reference.Message, false)
	}
}

// bind marks messages as what an answer is made from; see History.Bind.
func (c *channelLog) bind(ids []graph.MessageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if at := c.findLocked(id); at >= 0 && !c.entries[at].own() {
			c.entries[at].bound = true
		}
	}
}

// amendLocked replaces a message with the version in an event. A link preview that
// resolves is no new version: if an answer was made from the message, its text stays.
// The result of a poll does replace it.
func (c *channelLog) amendLocked(at int, e entry, m *discord.Message) {
	if held := &c.entries[at]; held.bound && e.edited == held.edited && m.Poll == nil {
		e.text, e.content, e.bound = held.text, held.content, true
	}
	c.replaceLocked(at, e)
}

// replaceLocked puts another version where one is held.
func (c *channelLog) replaceLocked(at int, e entry) {
	e.anchor = c.entries[at].anchor
	c.size.Add(e.size() - c.entries[at].size())
	c.entries[at] = e
}

// hearLocked lets the live span reach id, or begins one there.
func (c *channelLog) hearLocked(id graph.MessageID) {
	n := len(c.spans)
	switch {
	case c.live && id > c.spans[n-1].hi:
		c.spans[n-1].hi = id
	case c.live: // it came late; from where the span begins all was heard
	case n > 0 && id < c.spans[n-1].lo:
		// A page already holds what is newer, up to when it was read; between
		// the two something may be missing.
	default:
		c.spans = c.spans.add(span{lo: id, hi: id, used: c.clock})
		c.live = true
	}
}
