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
	TypeFollowAdd      = 12
	TypeThreadCreated  = 18
	TypeReply          = 19
	TypeChatCommand    = 20
	TypeThreadStarter  = 21
	TypeContextCommand = 23
	TypePollResult     = 46
)

// Message flags that this server knows.
const (
	FlagCrossposted    = 1 << 0 // it was published to the channels that follow its own
	FlagIsCrosspost    = 1 << 1 // it is a copy of a message that was published
	FlagSuppressEmbeds = 1 << 2
	FlagSourceDeleted  = 1 << 3 // the message that it is a copy of was deleted
	FlagHasThread      = 1 << 5
	FlagEphemeral      = 1 << 6 // only one person sees it
	FlagLoading        = 1 << 7 // its content is still to come
	FlagVoiceMessage   = 1 << 13
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
	// Poll is the poll on the message; nil for none.
	Poll *Poll
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

	use    *use            // the interaction that it answers; nil for none
	copies []Reference     // that were made of it when it was published
	nonce  json.RawMessage // the number or string that the sender gave
	raw    object          // wire fields that replace or join those that the server renders
}

// use is the interaction that a message answers, as Discord names it beside the message.
type use struct {
	id          InteractionID
	kind        int
	command     string // empty for a button
	who         graph.UserID
	application graph.UserID
	owners      object
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
	// Spoiler is set if people see it after a click. A name that begins with SPOILER_ sets it.
	Spoiler bool
	// Seconds and Waveform, in base64, are those of a voice message.
	Seconds  float64
	Waveform string
	// Shown is what the media proxy shows of Data, a PNG, JPEG or GIF, if Data is a picture of
	// another type, which only Discord converts.
	Shown []byte

	embedded bool // an embed shows it, so that it is not listed
}

// validate returns an error if m is too long or empty, or no voice message although it says so.
func (m *Message) validate() error {
	if m.Flags&FlagVoiceMessage != 0 {
		if m.Content != "" || len(m.Attachments) != 1 || m.Attachments[0].Seconds <= 0 || m.Attachments[0].Waveform == "" {
			return errBadRequest(50161, "Voice messages must have a single audio attachment.")
		}
		return nil
	}
	if utf8.RuneCountInString(m.Content) > maxContent {
		return errForm("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")
	}
	if m.Content != "" || len(m.Attachments) > 0 || m.Snapshot != nil || m.Poll != nil {
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
