package fetch

import (
	"heddle/graph"
	"heddle/internal/discord"
)

// contents is what is known of one channel: messages, and the spans of the channel in
// which no message is missing. The channelLog that holds it guards it.
type contents struct {
	messages timeline
	covered  coverage
}

// note keeps the latest version of m, and what m shows about other messages.
func (k *contents) note(m *discord.Message, self graph.UserID, by how) {
	if m.Flags&discord.FlagEphemeral != 0 || m.ID == 0 {
		return // only one person sees it
	}
	k.noteReferenced(m, self)
	if k.messages.gone.has(m.ID) {
		return
	}
	if self != 0 && m.Author.ID == self {
		k.messages.noteReply(m)
	}
	at := k.messages.find(m.ID)
	if at < 0 {
		k.messages.put(entryOf(&k.messages, m, self))
		return
	}
	held := &k.messages.entries[at]
	if edited := micro(m.Edited); held.early || edited > held.edited || edited == held.edited && by == byUpdate {
		if held.author != 0 && !m.Has(discord.HasAuthor) {
			k.merge(at, m, self)
			return
		}
		k.messages.amend(at, entryOf(&k.messages, m, self), m)
	}
}

// noteReferenced uses the message that m replies to, which comes with m. It may
// show that the message is gone, what heddle's own part before replied to, or, if the
// log should hold the message and its event was lost, all of it.
func (k *contents) noteReferenced(m *discord.Message, self graph.UserID) {
	if m.Type != discord.TypeReply || m.Reference == nil || (m.Reference.Channel != 0 && m.Reference.Channel != k.messages.channel) {
		return
	}
	if m.ReferencedState == discord.ReferencedNull && m.Reference.Message != 0 {
		k.messages.remove(m.Reference.Message)
		return
	}
	r := m.Referenced
	if r == nil || k.messages.gone.has(r.ID) {
		return
	}
	if self != 0 && r.Author.ID == self {
		k.messages.noteReply(r)
	}
	if r.Whole() && k.covered.find(r.ID) != nil && k.messages.find(r.ID) < 0 && r.Flags&discord.FlagEphemeral == 0 {
		k.messages.put(entryOf(&k.messages, r, self))
	}
}

// update adds a new version, whole or partial.
func (k *contents) update(m *discord.Message, self graph.UserID, limit int) {
	if m.Whole() {
		k.note(m, self, byUpdate)
		if k.covered.passed(m.ID) {
			k.covered.hear(m.ID) // its create event is late or lost
		}
		k.trim(limit)
		return
	}
	at := k.messages.find(m.ID)
	if at < 0 || m.Has(discord.HasEdited) && micro(m.Edited) < k.messages.entries[at].edited {
		return
	}
	k.merge(at, m, self)
}

// merge adds what an incomplete message shows, such as its author.
func (k *contents) merge(at int, m *discord.Message, self graph.UserID) {
	if (view{&k.messages}).isWithheld(at) {
		return
	}
	meet(&k.messages, m)
	held := &k.messages.entries[at]
	if !m.Has(discord.HasAuthor) {
		by := *m
		by.Author.ID = held.author
		m = &by
	}
	shown, _ := k.messages.withheld.veil(m, self)
	old := rendered{Message: held.message(k.messages.channel), content: int(held.content)}
	if held.more != nil {
		old.addresses = held.more.addresses
	}
	updated := renderUpdate(old, shown, self)
	e := newEntry(&updated)
	e.notice = held.notice && !m.Has(discord.HasContent) || isNotice(m, shown)
	k.messages.amend(at, e, shown)
}

// forget drops every message and span, as after a gap in the events. It still
// remembers what was deleted, and what heddle's own messages answer.
func (k *contents) forget() {
	k.messages.forget()
	k.covered.forget()
}
