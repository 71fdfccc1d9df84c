package fetch

import (
	"cmp"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

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
	c.note(m, self, byCreate)
	c.hear(m.ID)
	c.trim(limit)
}

// updated adds a new version, and reports whether that is a deferred answer that arrives.
func (c *channelLog) updated(m *discord.Message, self graph.UserID, limit int) (arrives bool) {
	if m.Whole {
		at := c.messages.find(m.ID)
		arrives = at >= 0 && c.messages.entries[at].arrives(isLoading(m))
		c.note(m, self, byUpdate)
		if c.live { // its create event may be late or lost
			c.hear(m.ID)
		}
	}
	c.trim(limit)
	return arrives
}

// note keeps the latest version of m, and what m shows about other messages.
func (c *channelLog) note(m *discord.Message, self graph.UserID, by how) {
	if m.Flags&discord.FlagEphemeral != 0 || m.ID == 0 {
		return // only one person sees it
	}
	c.noteReferenced(m, self)
	if c.messages.gone.Contains(m.ID) {
		return
	}
	if self != 0 && m.Author.ID == self {
		c.messages.noteReply(m)
	}
	at := c.messages.find(m.ID)
	if at < 0 {
		c.messages.put(c.entryOf(m, self))
		return
	}
	held := &c.messages.entries[at]
	switch {
	case !m.Edited.After(held.Edited) && (by != byUpdate || !m.Edited.Equal(held.Edited)) && !held.arrives(isLoading(m)):
	case m.Whole:
		e := c.entryOf(m, self)
		if m.Poll == nil { // the result of one is a new version
			e = held.next(e)
		}
		c.messages.replace(at, e)
	}
}

// noteReferenced uses the message that m replies to, which comes with m. It may show
// that the message is gone, or what heddle's own part before replied to.
func (c *channelLog) noteReferenced(m *discord.Message, self graph.UserID) {
	switch {
	case m.Type != discord.TypeReply || m.Reference == nil || cmp.Or(m.Reference.Channel, c.messages.id) != c.messages.id:
	case m.ReferencedState == discord.ReferencedNull && m.Reference.Message != 0:
		c.messages.remove(m.Reference.Message)
	case m.Referenced != nil && self != 0 && m.Referenced.Author.ID == self:
		c.messages.noteReply(m.Referenced)
	}
}

// said adds an own message as Discord returned it, and records which trigger it
// answers.
func (c *channelLog) said(m *discord.Message, trigger graph.MessageID, self graph.UserID) {
	c.messages.hang(m.ID, trigger)
	if m.Whole {
		c.note(m, self, byCreate)
	}
}

// learned adds a page.
func (c *channelLog) learned(page discord.Page, q query, self graph.UserID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(page.Messages) == 0 {
		return
	}
	// Oldest first, so that each part of an answer finds the part before it.
	messages := slices.Clone(page.Messages)
	slices.SortFunc(messages, func(a, b discord.Message) int { return cmp.Compare(a.ID, b.ID) })
	s := span{lo: messages[0].ID, hi: messages[len(messages)-1].ID, start: q.side != "around" && page.Count < pageSize}
	switch {
	case q.side == "before" && q.at != 0:
		s.hi = max(s.hi, q.at-1)
	case q.at == graph.MessageID(c.messages.id): // no message is older than its channel
		s.lo, s.start = min(s.lo, q.at), true
	}
	for i := range messages {
		c.note(&messages[i], self, byPage)
	}
	// What is in the span but not on the page was deleted.
	onPage := func(id graph.MessageID) bool {
		return slices.ContainsFunc(messages, func(m discord.Message) bool { return m.ID == id })
	}
	var missed []graph.MessageID
	for i := range c.messages.entries {
		if id := c.messages.entries[i].ID; s.holds(id) && !onPage(id) {
			missed = append(missed, id)
		}
	}
	for _, id := range missed {
		c.messages.remove(id)
	}
	c.spans = c.spans.add(s)
}

// startsAt records that there is nothing older than id, as a page showed, so that a new
// thread need not be read again. It returns false if an older message is held, which the
// page should have contained.
func (c *channelLog) startsAt(id graph.MessageID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.messages.entries) > 0 && c.messages.entries[0].ID < id {
		return false
	}
	if id > 1 {
		c.spans = c.spans.add(span{lo: 1, hi: id - 1, start: true})
	}
	return true
}

// somebody replaces the name of a person whose messages are withheld.
const somebody = "somebody"

// filter is the rule for what of messages is held.
type filter struct {
	withholds func(graph.UserID) bool // nil: nobody's; see History.Withhold
	said      func(string) string     // nil: all; see History.LeaveOut
	names     Names                   // nil: names are what messages tell
	// originals is what is known of messages that others forward, and of withheld ones.
	originals *lru.Cache[graph.MessageID, original]
}

func newFilter() filter { return filter{originals: newOriginals()} }

// by reports whether a person's messages are withheld. Only the ids of such messages are
// held, and they are shown to nobody.
func (f *filter) by(person graph.UserID) bool { return f.withholds != nil && f.withholds(person) }

// entryOf returns a message as an entry. Of a withheld message it has only the ids.
func (c *channelLog) entryOf(m *discord.Message, self graph.UserID) entry {
	// The author is recorded, and whom else the message may name.
	c.people[m.Author.ID] = struct{}{}
	for i := range m.Mentions {
		c.people[m.Mentions[i].ID] = struct{}{}
	}
	if m.Interaction != nil {
		c.people[m.Interaction.User.ID] = struct{}{}
	}
	if m.Referenced != nil {
		c.people[m.Referenced.Author.ID] = struct{}{}
	}
	shown, withheld := c.messages.filter.veil(m, self)
	if m.Flags&discord.FlagSourceDeleted != 0 && m.Reference != nil {
		c.messages.filter.lose(m.Reference.Message)
	}
	e := entry{
		addresses: addressesOfFiles(shown), withheld: withheld, loading: isLoading(m),
		// A notice is a message of heddle's own of which nothing is left.
		notice: !withheld && m.Content != "" && shown.Content == "" && len(shown.Attachments) == 0,
	}
	names := &naming{}
	if !withheld {
		names = c.messages.filter.name(shown, self)
	}
	e.Message = Render(*shown, self)
	e.named = slices.DeleteFunc(names.named, func(one Named) bool { return graph.UserID(one.ID) == m.Author.ID })
	if delete(c.messages.unnamed, m.ID); names.waits && len(c.messages.unnamed) < mostUnnamed {
		c.messages.unnamed[m.ID] = m
	}
	return e
}

// isLoading reports whether a message announces an answer of a bot that is still to come.
func isLoading(m *discord.Message) bool { return m.Flags&discord.FlagLoading != 0 }

// veil returns the part of a message that may be held, and reports whether the message
// is withheld. It is if its author is, or if it is heddle's answer to such a person. In
// any other message, the names that ids show to be theirs are replaced.
func (f *filter) veil(m *discord.Message, self graph.UserID) (shown *discord.Message, withheld bool) {
	veiled := *m
	own := self != 0 && m.Author.ID == self
	if own && f.said != nil {
		veiled.Content = f.said(m.Content)
	}
	if f.by(m.Author.ID) || own && m.Referenced != nil && f.by(m.Referenced.Author.ID) {
		f.learn(m.ID, m.Author.ID)
		if own {
			f.learn(m.ID, m.Referenced.Author.ID)
		}
		return bare(m), true
	}
	veiled.Mentions = slices.Clone(m.Mentions)
	for i := range veiled.Mentions {
		f.rename(&veiled.Mentions[i])
	}
	if m.Referenced != nil {
		referenced := *m.Referenced
		f.rename(&referenced.Author)
		veiled.Referenced = &referenced
	}
	if m.Interaction != nil {
		interaction := *m.Interaction
		f.rename(&interaction.User)
		veiled.Interaction = &interaction
	}
	return &veiled, false
}

// rename replaces the name of somebody whose messages are withheld.
func (f *filter) rename(user *discord.User) {
	if f.by(user.ID) {
		user.Name, user.Global, user.Nick = somebody, "", ""
	}
}

// bare returns a message without content: only its ids, times and type.
func bare(m *discord.Message) *discord.Message {
	b := &discord.Message{
		ID: m.ID, Channel: m.Channel, Type: m.Type,
		Author:  discord.User{ID: m.Author.ID, Bot: m.Author.Bot, System: m.Author.System},
		Webhook: m.Webhook, Application: m.Application, Time: m.Time, Edited: m.Edited, ReferencedState: m.ReferencedState,
	}
	if m.Reference != nil && !m.Reference.Forward {
		b.Reference = m.Reference
	}
	return b
}
