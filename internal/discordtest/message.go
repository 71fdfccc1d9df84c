package discordtest

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"heddle/graph"
)

// The types of messages that this server makes itself.
const (
	TypeDefault        = 0
	TypeThreadCreated  = 18
	TypeReply          = 19
	TypeChatCommand    = 20
	TypeThreadStarter  = 21
	TypeContextCommand = 23
)

// Message flags that this server knows.
const (
	FlagSuppressEmbeds = 1 << 2
	FlagHasThread      = 1 << 5
	FlagEphemeral      = 1 << 6 // only one person sees it
	FlagLoading        = 1 << 7 // its content is still to come
	FlagHasSnapshot    = 1 << 14
	FlagComponentsV2   = 1 << 15

	settableFlags = FlagSuppressEmbeds | 1<<12 | 1<<13 | FlagComponentsV2
)

// maxContent is the number of characters that a message may hold.
const maxContent = 2000

// Message is one version of a message as the server holds it. It never changes:
// an edit stores another version.
type Message struct {
	ID      graph.MessageID
	Channel graph.ChannelID
	Author  graph.UserID // a webhook's id for what a webhook sent
	Type    int
	Flags   int
	Content string
	Edited  time.Time // zero if never edited

	Reference *Reference
	// Mentions, MentionRoles and MentionEveryone are what the message mentions
	// within its allowed_mentions.
	Mentions        []graph.UserID
	MentionRoles    []graph.RoleID
	MentionEveryone bool
	// Pings are those whom the message and its edits notified.
	Pings       Pings
	Attachments []Attachment

	// Embeds, Components and Stickers are JSON arrays, as sent.
	Embeds, Components, Stickers json.RawMessage
	// Snapshot is the forwarded message, without its author.
	Snapshot json.RawMessage
	// Thread is the thread that was started from the message; zero if none.
	Thread graph.ChannelID
	// Webhook is the name under which a webhook sent; empty for people and bots.
	Webhook string
	// Application is the application that owns that webhook; zero if none does.
	Application graph.UserID
	// Reactions are in the order in which each emoji was first used.
	Reactions []Reaction

	nonce json.RawMessage // the number or string that the sender gave
	raw   object          // wire fields that replace or join those that the server renders
}

// Pings are people and roles that were notified.
type Pings struct {
	Users    []graph.UserID
	Roles    []graph.RoleID
	Everyone bool
}

// None reports whether nobody was notified.
func (p Pings) None() bool { return len(p.Users) == 0 && len(p.Roles) == 0 && !p.Everyone }

// Reference is the message that another one replies to or forwards.
type Reference struct {
	Forward bool
	Guild   graph.GuildID
	Channel graph.ChannelID
	Message graph.MessageID // zero on the notice that a thread was created
}

// Attachment is a file on a message.
type Attachment struct {
	ID          graph.AttachmentID
	Name        string
	Type        string // media type
	Description string
	Size        int64 // bytes, as Discord states it; len(Data) if zero
	Data        []byte
	// Width and Height are in pixels; zero if it is no picture.
	Width, Height int
	Spoiler       bool
	// Proxied, if set, is what the media proxy serves in place of the picture.
	Proxied string
}

// validate returns an error if m is too long or empty.
func (m *Message) validate() error {
	if utf8.RuneCountInString(m.Content) > maxContent {
		return errForm("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
	}
	if m.Content != "" || len(m.Attachments) > 0 || m.Snapshot != nil {
		return nil
	}
	for _, part := range []json.RawMessage{m.Embeds, m.Components, m.Stickers} {
		if !isNull(part) && string(part) != "[]" {
			return nil
		}
	}
	return errBadRequest(50006, "Cannot send an empty message")
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// messageLog is one channel's messages in the order of their ids.
type messageLog []*Message

func compareID(m *Message, id graph.MessageID) int { return cmp.Compare(m.ID, id) }

// search returns the index at which a message is or would be inserted, and reports
// whether it is there.
func (l messageLog) search(id graph.MessageID) (int, bool) {
	return slices.BinarySearchFunc(l, id, compareID)
}

// find returns a message; nil if there is none.
func (l messageLog) find(id graph.MessageID) *Message {
	if i, found := l.search(id); found {
		return l[i]
	}
	return nil
}

// with returns l with m in place of its older version, if there is one. It may reuse
// the memory of l.
func (l messageLog) with(m *Message) messageLog {
	i, found := l.search(m.ID)
	if found {
		l[i] = m
		return l
	}
	return slices.Insert(l, i, m)
}

// without returns l without a message. It may reuse the memory of l.
func (l messageLog) without(id graph.MessageID) messageLog {
	return slices.DeleteFunc(l, func(m *Message) bool { return m.ID == id })
}
