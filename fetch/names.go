package fetch

import (
	"context"
	"slices"
	"strconv"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
)

// Names names people, roles and channels. guilds.Names does, which this package cannot import.
// Only Recall may wait.
type Names interface {
	// Recall reads what people, roles and channels were called in messages that answers were made
	// from.
	Recall(ctx context.Context, channel graph.ChannelID, named []graph.UserID)
	// Of returns what a message calls whatever has an id and a sign, which is "@" for people,
	// "@&" for roles and "#" for channels; "" if that is unknown. waits is set if another name may
	// be known later, as it was asked for or is to be recalled.
	Of(channel graph.ChannelID, message graph.MessageID, sign string, id uint64) (name string, waits bool)
	// Keep stores names that an answer is made with.
	Keep(channel graph.ChannelID, names []Named)
}

// Named is the name of something in a message.
type Named struct {
	Message graph.MessageID
	ID      uint64 // of a person, role or channel
	Name    string
}

// SetNames sets who names people. Without it, they have the names that Discord's messages tell. It is
// called before anything is held.
func SetNames(h *History, names Names) { h.logs.filter.names = names }

// Rename renders messages with the names that were asked for and have arrived since. Messages that
// an answer was made from keep their names, so that its path stays the same.
func Rename(h *History) {
	h.logs.mu.Lock()
	var waiting []*channelLog
	for _, c := range h.logs.channels {
		waiting = append(waiting, c)
	}
	h.logs.mu.Unlock()
	for _, c := range waiting {
		c.rename(h.selfID())
		h.logs.count(c)
	}
}

// mostUnnamed bounds the messages of a channel that wait for names.
const mostUnnamed = 4 * pageSize

// rename renders again what waits for names.
func (c *channelLog) rename(self graph.UserID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.messages.unnamed
	c.messages.unnamed = make(map[graph.MessageID]*discord.Message)
	for id, m := range waiting {
		at := c.messages.find(id)
		if at >= 0 && !c.messages.entries[at].bound && c.messages.entries[at].Edited.Equal(m.Edited) {
			c.messages.replace(at, c.entryOf(m, self))
		}
	}
}

// unnamed returns what waits for names.
func (c *channelLog) unnamed() (messages []discord.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.messages.unnamed {
		messages = append(messages, *m)
	}
	return messages
}

// recallWait bounds the wait for stored names outside of a reading.
const recallWait = 2 * time.Second

// recallNames reads what the people in messages were called before.
func recallNames(ctx context.Context, h *History, channel graph.ChannelID, messages ...discord.Message) {
	if h.logs.filter.names == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recallWait)
	defer cancel()
	var people []graph.UserID
	for i := range messages {
		m := &messages[i]
		if !m.ByWebhook() {
			people = append(people, m.Author.ID)
		}
		if m.Interaction != nil {
			people = append(people, m.Interaction.User.ID)
		}
		for _, user := range m.Mentions {
			people = append(people, user.ID)
		}
		texts := []string{m.Content}
		for j := range m.Embeds {
			texts = append(texts, m.Embeds[j].Description)
		}
		for _, text := range texts {
			for _, found := range inBrackets.FindAllStringSubmatch(text, mostRecalled) {
				id, _ := strconv.ParseUint(found[2], 10, 64) // 0 for what has none
				people = append(people, graph.UserID(id))
			}
		}
	}
	slices.Sort(people)
	h.logs.filter.names.Recall(ctx, channel, slices.Compact(people))
}

// mostRecalled bounds what a text names of which stored names are read.
const mostRecalled = 50

// naming names the people in a message while that is rendered, and notes the names.
type naming struct {
	filter *filter
	of     *discord.Message
	named  []Named
	waits  bool // a name was asked for
}

// name names the people in a message that veil returned, and in what it forwards.
func (f *filter) name(m *discord.Message, self graph.UserID) *naming {
	n := &naming{filter: f, of: m}
	if f.names == nil {
		return n
	}
	if !m.ByWebhook() && m.Author.ID != self {
		n.person(&m.Author)
	}
	if m.Interaction != nil {
		n.person(&m.Interaction.User)
	}
	m.Snapshots = slices.Clone(m.Snapshots)
	n.mentioned(m)
	for i := range m.Snapshots {
		n.mentioned(&m.Snapshots[i].Message)
	}
	return n
}

// mentioned names those whom a message mentions, and sets what names the others in its text.
func (n *naming) mentioned(m *discord.Message) {
	m.Words, m.Mentions = n.word, slices.Clone(m.Mentions)
	for i := range m.Mentions {
		n.person(&m.Mentions[i])
	}
}

// person sets the name of a user in a message. One that nobody knows is what Discord tells.
func (n *naming) person(user *discord.User) {
	if user.ID == 0 {
		return
	}
	if user.Nick = n.word("@", uint64(user.ID)); user.Nick == "" && !n.filter.by(user.ID) {
		n.note(uint64(user.ID), user.DisplayName())
	}
}

// word is discord.Message.Words.
func (n *naming) word(sign string, id uint64) string {
	if sign == "@" && n.filter.by(graph.UserID(id)) {
		return somebody
	}
	name, waits := n.filter.names.Of(n.of.Channel, n.of.ID, sign, id)
	n.waits = n.waits || waits
	if name != "" {
		n.note(id, name)
	}
	return name
}

// note notes a name once.
func (n *naming) note(id uint64, name string) {
	named := Named{n.of.ID, id, name}
	if !slices.Contains(n.named, named) {
		n.named = append(n.named, named)
	}
}
