package discordtest

import (
	"encoding/json"
	"slices"
	"time"

	"heddle/graph"
)

// The types of messages that this server makes itself.
const (
	TypeDefault       = 0
	TypeJoin          = 7
	TypeThreadCreated = 18
	TypeReply         = 19
	TypeThreadStarter = 21
)

// Message flags that this server knows.
const (
	FlagSuppressEmbeds = 1 << 2
	FlagHasThread      = 1 << 5
	FlagEphemeral      = 1 << 6 // one person sees it
	FlagLoading        = 1 << 7 // it is still to come
	FlagHasSnapshot    = 1 << 14
	FlagComponentsV2   = 1 << 15
)

// Message is one version of a message as the server holds it. It is never
// changed in place: an edit stores another one.
type Message struct {
	ID      graph.MessageID
	Channel graph.ChannelID
	Author  graph.UserID // a webhook's id for what a webhook sent
	Type    int
	Flags   int
	Content string
	Edited  time.Time // zero if never edited

	Reference *Reference
	// Mentions, MentionRoles and MentionEveryone are what the message shows as
	// mentioned after allowed_mentions had their say.
	Mentions        []graph.UserID
	MentionRoles    []graph.RoleID
	MentionEveryone bool
	Attachments     []Attachment

	// More holds what few messages have; nil for the others.
	More *More
}

// More is what few messages have.
type More struct {
	// Pings are all whom the message notified, its edits included.
	Pings Pings
	// Nonce is the JSON number or string that the sender gave.
	Nonce json.RawMessage
	// Embeds, Components and Stickers are JSON arrays, Poll an object, as sent.
	Embeds, Components, Stickers, Poll json.RawMessage
	// Snapshot is the forwarded message, without its author.
	Snapshot json.RawMessage
	// Thread is the thread that was started from the message; zero if none.
	Thread graph.ChannelID
	// Webhook is the name a webhook gave itself; empty for people and bots.
	Webhook string
	// Reactions are what people put on it, in the order of their first.
	Reactions []Reaction
	// Raw holds wire fields that are sent in place of what the server would say.
	Raw map[string]any
}

// Pings are people and roles that were notified.
type Pings struct {
	Users    []graph.UserID
	Roles    []graph.RoleID
	Everyone bool
}

// None reports that nobody was notified.
func (p Pings) None() bool { return len(p.Users) == 0 && len(p.Roles) == 0 && !p.Everyone }

// Pings are all whom m notified, its edits included.
func (m *Message) Pings() Pings {
	if m.More == nil {
		return Pings{}
	}
	return m.More.Pings
}

// more is a copy of m's rare part that may be changed, set on m.
func (m *Message) more() *More {
	var copied More
	if m.More != nil {
		copied = *m.More
	}
	m.More = &copied
	return m.More
}

// Reference is what a message points at.
type Reference struct {
	Forward bool
	Guild   graph.GuildID
	Channel graph.ChannelID
	Message graph.MessageID // zero for the note that a thread was made
}

// Attachment is a file on a message.
type Attachment struct {
	ID          graph.AttachmentID
	Name        string
	Type        string // media type
	Description string
	Size        int64 // what Discord says it is; len(Data) unless set otherwise
	Data        []byte
	// Width and Height in pixels; zero for what is not a picture.
	Width, Height int
}

// messageLog is one channel's messages, ordered by id.
type messageLog []*Message

func compareID(m *Message, id graph.MessageID) int {
	switch {
	case m.ID < id:
		return -1
	case m.ID > id:
		return 1
	}
	return 0
}

func (l messageLog) search(id graph.MessageID) (int, bool) {
	if n := len(l); n == 0 || l[n-1].ID < id {
		return n, false
	}
	return slices.BinarySearchFunc(l, id, compareID)
}

func (l messageLog) find(id graph.MessageID) *Message {
	if i, found := l.search(id); found {
		return l[i]
	}
	return nil
}

// put inserts m, or replaces the version that is held.
func (c *channel) put(m *Message) {
	i, found := c.messages.search(m.ID)
	if found {
		c.messages[i] = m
		return
	}
	c.messages = slices.Insert(c.messages, i, m)
}

func (c *channel) remove(id graph.MessageID) *Message {
	i, found := c.messages.search(id)
	if !found {
		return nil
	}
	m := c.messages[i]
	c.messages = slices.Delete(c.messages, i, i+1)
	return m
}
