package fetch

import (
	"cmp"
	"slices"
	"sync/atomic"

	"heddle/graph"
	"heddle/internal/discord"
)

// somebody replaces the name of a person whose messages are withheld.
const somebody = "somebody"

// withheld knows the people whose messages are withheld. Only the ids of such messages
// are held, and they are shown to nobody. The zero value knows nobody.
type withheld struct {
	is   atomic.Pointer[func(graph.UserID) bool]
	said atomic.Pointer[func(string) string] // see History.LeaveOut
}

// by reports whether a person's messages are withheld.
func (w *withheld) by(person graph.UserID) bool {
	if w == nil {
		return false
	}
	is := w.is.Load()
	return is != nil && (*is)(person)
}

// Withhold withholds, from now on, the messages of the people for whom is returns true.
// After a change of what it returns, ForgetPerson must be called. is may be called from
// any goroutine, and must not wait.
func (h *History) Withhold(is func(graph.UserID) bool) { h.logs.withheld.is.Store(&is) }

// LeaveOut has said decide, from now on, what of the text of a message of heddle's own
// belongs to the conversation. A message of which nothing does is left out of everything
// that is read. said may be called from any goroutine, and must not wait.
func (h *History) LeaveOut(said func(text string) string) { h.logs.withheld.said.Store(&said) }

// ForgetPerson drops the log of every channel that contains something a person wrote,
// or their name. It returns the number of logs.
func (h *History) ForgetPerson(person graph.UserID) int {
	dropped := 0
	for _, c := range h.logs.all() {
		if c.forgetPerson(person) {
			dropped++
			h.watch.changed(c.id)
		}
		h.logs.count(c)
	}
	return dropped
}

// forgetPerson drops everything if the log may contain something that a person wrote,
// or their name, and reports whether it may.
func (c *channelLog) forgetPerson(person graph.UserID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, met := c.messages.people[person]; !met {
		return false
	}
	c.contents.forget()
	return true
}

// entryOf returns a message as an entry. Of a withheld message it has only the ids.
func entryOf(t *timeline, m *discord.Message, self graph.UserID) entry {
	meet(t, m)
	if isForward(m) && cmp.Or(m.Reference.Channel, t.channel) == t.channel {
		if at := t.find(m.Reference.Message); at >= 0 && (view{t}).isWithheld(at) {
			m = withoutForward(m)
		}
	}
	shown, is := t.withheld.veil(m, self)
	r := render(shown, self)
	e := newEntry(&r)
	e.withheld = is
	e.notice = !is && isNotice(m, shown)
	return e
}

// meet records the author of a message, and whom else it may name.
func meet(t *timeline, m *discord.Message) {
	add := func(person graph.UserID) {
		if _, known := t.people[person]; known || person == 0 {
			return
		}
		if t.people == nil {
			t.people = make(map[graph.UserID]struct{})
		}
		t.people[person] = struct{}{}
		t.size.Add(personSize)
	}
	add(m.Author.ID)
	for i := range m.Mentions {
		add(m.Mentions[i].ID)
	}
	if m.Interaction != nil {
		add(m.Interaction.User.ID)
	}
	if m.Referenced != nil {
		add(m.Referenced.Author.ID)
	}
}

// isNotice reports whether a message of heddle's own says nothing of the conversation,
// as nothing is left of its text in what is shown of it.
func isNotice(m, shown *discord.Message) bool {
	return m.Content != "" && shown.Content == "" && len(shown.Attachments) == 0
}

// spokenBy returns a message without what heddle tells beside the conversation.
func (w *withheld) spokenBy(m *discord.Message, self graph.UserID) *discord.Message {
	said := w.said.Load()
	if said == nil || self == 0 || m.Author.ID != self {
		return m
	}
	text := (*said)(m.Content)
	if text == m.Content {
		return m
	}
	without := *m
	without.Content = text
	return &without
}

// veil returns the part of a message that may be held, and reports whether the message
// is withheld. It is if its author is, or if it is heddle's answer to such a person. In
// any other message, the names that ids show to be theirs are replaced.
func (w *withheld) veil(m *discord.Message, self graph.UserID) (shown *discord.Message, is bool) {
	if w == nil {
		return m, false
	}
	m = w.spokenBy(m, self)
	if w.is.Load() == nil {
		return m, false
	}
	answered := self != 0 && m.Author.ID == self && m.Referenced != nil && w.by(m.Referenced.Author.ID)
	if answered || w.by(m.Author.ID) {
		return bare(m), true
	}
	if !w.named(m) {
		return m, false
	}
	veiled := *m
	veiled.Mentions = slices.Clone(m.Mentions)
	for i := range veiled.Mentions {
		w.rename(&veiled.Mentions[i])
	}
	if m.Interaction != nil {
		interaction := *m.Interaction
		w.rename(&interaction.User)
		veiled.Interaction = &interaction
	}
	return &veiled, false
}

// named reports whether a message names somebody whose messages are withheld.
func (w *withheld) named(m *discord.Message) bool {
	return m.Interaction != nil && w.by(m.Interaction.User.ID) ||
		slices.ContainsFunc(m.Mentions, func(user discord.User) bool { return w.by(user.ID) })
}

// rename replaces the name of somebody whose messages are withheld.
func (w *withheld) rename(user *discord.User) {
	if w.by(user.ID) {
		user.Name, user.Global = somebody, ""
	}
}

// bare returns a message without content: only its ids, times and type.
func bare(m *discord.Message) *discord.Message {
	b := &discord.Message{
		ID: m.ID, Channel: m.Channel, Guild: m.Guild, Type: m.Type, Flags: m.Flags,
		Author:  discord.User{ID: m.Author.ID, Bot: m.Author.Bot, System: m.Author.System},
		Webhook: m.Webhook, Application: m.Application, Time: m.Time, Edited: m.Edited,
		ReferencedState: m.ReferencedState, Present: m.Present,
	}
	if m.Reference != nil && !m.Reference.Forward {
		b.Reference = m.Reference
	}
	return b
}

// isForward reports whether a message forwards another.
func isForward(m *discord.Message) bool {
	return m.Reference != nil && m.Reference.Forward && len(m.Snapshots) > 0
}

// withoutForward returns a message without what it forwards.
func withoutForward(m *discord.Message) *discord.Message {
	without := *m
	without.Snapshots = nil
	return &without
}

// withoutWithheld returns a message without what it forwards if that is known to be
// withheld. A forward does not name its author; only the log of the channel that it is
// from does.
func (l *logs) withoutWithheld(m *discord.Message) *discord.Message {
	if isForward(m) && l.withholds(cmp.Or(m.Reference.Channel, m.Channel), m.Reference.Message) {
		return withoutForward(m)
	}
	return m
}

// withholds reports whether a message is known to be withheld.
func (l *logs) withholds(channel graph.ChannelID, message graph.MessageID) bool {
	if l.withheld.is.Load() == nil {
		return false
	}
	c := l.known(channel)
	if c == nil {
		return false
	}
	_, known := c.lookup(message)
	return known == stateWithheld
}

// unquoted removes from messages what they forward and what became known to be withheld
// later.
func (l *logs) unquoted(messages []graph.Message) {
	for i := range messages {
		m := &messages[i]
		for _, r := range m.References {
			if r.Kind == graph.ReferenceForward && l.withholds(cmp.Or(r.Channel, m.Channel), r.Message) {
				m.Text, m.Added, m.Attachments = m.Text[:len(m.Text)-m.Added], 0, nil
			}
		}
	}
}

// maxWithheld bounds the withheld messages in a row that a reference passes through.
const maxWithheld = 8

// beyond returns what a withheld message or a notice answers, and reports whether it answers
// anything.
func beyond(m *graph.Message) (graph.Lookup, bool) {
	if m.Answers != 0 {
		return graph.Lookup{Channel: m.Channel, Message: m.Answers}, true
	}
	for _, r := range m.References {
		if r.Message != 0 {
			return graph.Lookup{Channel: cmp.Or(r.Channel, m.Channel), Message: r.Message}, true
		}
	}
	return graph.Lookup{}, false
}

// passThrough returns the targets of those lookups that end at withheld messages and at
// notices.
func (m *Mention) passThrough(lookups []graph.Lookup) []graph.Lookup {
	var next []graph.Lookup
	for _, l := range lookups {
		if _, missing := m.missing[l]; missing || l.Message == m.place.Trigger {
			continue
		}
		message, known := m.channelLog(l.Channel).lookup(l.Message)
		if known != stateWithheld && known != stateNotice {
			continue
		}
		if to, ok := beyond(&message); ok {
			next = append(next, to)
		}
	}
	return next
}
