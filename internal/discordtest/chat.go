package discordtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"heddle/graph"
)

// Chat is what people write in channels, as in one of Discord's clients, and what
// channels then hold. Discord's limits on content are checked, people's permissions are
// not. Its methods panic if they are given the id of a channel that does not exist.
type Chat struct{ world *world }

// Post sends a message as a person, or as a bot without REST. Bots that may see it
// get MESSAGE_CREATE, back-dated messages included.
func (t *Chat) Post(id graph.ChannelID, author graph.UserID, d Draft) (graph.MessageID, error) {
	t.world.mu.Lock()
	defer t.world.mu.Unlock()
	c := must(t.world.channels, id)
	m, err := d.message(c, author)
	if err != nil {
		return 0, fmt.Errorf("post in channel %s: %w", id, err)
	}
	c.add(m)
	return m.ID, nil
}

// Backfill puts many messages into a channel's past at once, without events and
// happenings. Each draft names its Author, and At or ID.
func (t *Chat) Backfill(id graph.ChannelID, drafts []Draft) ([]graph.MessageID, error) {
	t.world.mu.Lock()
	defer t.world.mu.Unlock()
	c := must(t.world.channels, id)
	ids := make([]graph.MessageID, len(drafts))
	c.messages = slices.Grow(c.messages, len(drafts))
	for i := range drafts {
		m, err := drafts[i].message(c, drafts[i].Author)
		if err != nil {
			return nil, fmt.Errorf("backfill channel %s, draft %d: %w", id, i, err)
		}
		ids[i] = m.ID
		c.messages = append(c.messages, m)
	}
	slices.SortStableFunc(c.messages, func(a, b *Message) int { return compareID(a, b.ID) })
	t.world.mu.Wake()
	return ids, nil
}

// Edit changes a message's content, whoever wrote it.
func (t *Chat) Edit(id graph.ChannelID, message graph.MessageID, content string) error {
	return t.change(id, message, func(c *channel, m *Message) {
		m.Content = strings.TrimSpace(content)
		m.Edited = timeIn(c)
		allowed := allowAll()
		if m.Type == TypeReply { // a reply stays silent
			target := c.world.find(m.Reference)
			allowed.RepliedUser = target != nil && slices.Contains(m.Mentions, target.Author)
		}
		allowed.mark(c, m)
	})
}

// Arrive sets the content of a deferred answer of a bot: a message that was posted with FlagLoading
// loses the flag. It has no edit time.
func (t *Chat) Arrive(id graph.ChannelID, message graph.MessageID, content string) error {
	return t.change(id, message, func(c *channel, m *Message) {
		m.Content, m.Flags = strings.TrimSpace(content), m.Flags&^FlagLoading
		allowAll().mark(c, m)
	})
}

// SetEmbeds replaces a message's embeds, as Discord does after it has looked up a
// link: the update keeps content and edit time.
func (t *Chat) SetEmbeds(id graph.ChannelID, message graph.MessageID, embeds json.RawMessage) error {
	return t.change(id, message, func(c *channel, m *Message) {
		m.Embeds = embeds
		c.world.unfurl(m)
	})
}

// RemoveAttachment removes one attachment from a message, as its author can.
func (t *Chat) RemoveAttachment(id graph.ChannelID, message graph.MessageID, file graph.AttachmentID) error {
	return t.change(id, message, func(c *channel, m *Message) {
		m.Attachments = slices.DeleteFunc(slices.Clone(m.Attachments), func(a Attachment) bool { return a.ID == file })
		m.Edited = timeIn(c)
	})
}

// change stores another version of a message.
func (t *Chat) change(id graph.ChannelID, message graph.MessageID, change func(*channel, *Message)) error {
	return t.with(id, message, func(c *channel, held *Message) error {
		m := *held
		change(c, &m)
		c.replace(&m)
		return nil
	})
}

// with calls do with a message and the lock held.
func (t *Chat) with(id graph.ChannelID, message graph.MessageID, do func(*channel, *Message) error) error {
	t.world.mu.Lock()
	defer t.world.mu.Unlock()
	c := must(t.world.channels, id)
	m := c.messages.find(message)
	if m == nil {
		return fmt.Errorf("change message %s: %w", message, errUnknownMessage())
	}
	if err := do(c, m); err != nil {
		return fmt.Errorf("change message %s: %w", message, err)
	}
	return nil
}

// Delete deletes messages of one channel: one with MESSAGE_DELETE, several with
// MESSAGE_DELETE_BULK. It skips messages that do not exist and returns how many did.
func (t *Chat) Delete(id graph.ChannelID, messages ...graph.MessageID) int {
	t.world.mu.Lock()
	defer t.world.mu.Unlock()
	return must(t.world.channels, id).delete(messages...)
}

// Messages returns a channel's messages, oldest first.
func (t *Chat) Messages(id graph.ChannelID) []Message {
	t.world.mu.RLock()
	defer t.world.mu.RUnlock()
	c := must(t.world.channels, id)
	all := make([]Message, len(c.messages))
	for i, m := range c.messages {
		all[i] = *m
	}
	return all
}

// Message returns the newest version of one message and reports whether it exists.
func (t *Chat) Message(id graph.ChannelID, message graph.MessageID) (Message, bool) {
	t.world.mu.RLock()
	defer t.world.mu.RUnlock()
	if m := must(t.world.channels, id).messages.find(message); m != nil {
		return *m, true
	}
	return Message{}, false
}

// Near returns a message with its neighbours in the channel, oldest first: at most
// older messages before it, the message itself if it exists, and at most newer messages
// after it. start and end report whether the result contains the first and the last
// message of the channel.
func (t *Chat) Near(id graph.ChannelID, message graph.MessageID, older, newer int) (near []Message, start, end bool) {
	t.world.mu.RLock()
	defer t.world.mu.RUnlock()
	messages := must(t.world.channels, id).messages
	at, found := messages.search(message)
	after := at
	if found {
		after++
	}
	from, to := max(at-older, 0), min(after+newer, len(messages))
	near = make([]Message, 0, to-from)
	for _, m := range messages[from:to] {
		near = append(near, *m)
	}
	return near, from == 0, to == len(messages)
}

// Sent returns a message as Discord sends it to a bot that may read everything.
func (t *Chat) Sent(m Message) json.RawMessage {
	t.world.mu.RLock()
	defer t.world.mu.RUnlock()
	return rendering{t.world, viewer{content: true}}.message(must(t.world.channels, m.Channel), &m)
}
