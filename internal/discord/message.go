package discord

import (
	"time"

	"heddle/graph"
)

// Message is a message as Discord sends it, over the gateway or REST.
type Message struct {
	ID      graph.MessageID
	Channel graph.ChannelID
	Guild   graph.GuildID // gateway only; zero in direct messages and over REST
	Author  User
	Member  *Member // the author's membership of Guild; gateway only, nil if not told

	Type        MessageType
	Flags       uint64
	Webhook     uint64       // id of the webhook that sent it, 0 for none
	Application graph.UserID // the application whose interaction it answers, or whose webhook it is

	Content string
	Time    time.Time // when it was first sent; from the id if Discord leaves it out
	Edited  time.Time // zero where never edited

	Mentions        []User
	MentionRoles    []graph.RoleID
	MentionChannels []Channel

	Attachments []Attachment
	Embeds      []Embed
	Stickers    []Sticker
	Components  []Component
	Poll        *Poll
	Interaction *CommandUse

	Reference *Reference
	// Referenced is the message replied to; nil unless ReferencedState is ReferencedGiven.
	Referenced      *Message
	ReferencedState ReferencedState
	Snapshots       []Snapshot

	// Present is the set of fields in the payload. A partial update leaves out fields
	// that did not change.
	Present Fields
}

// Fields is a set of those fields of a message whose absence has a meaning.
type Fields uint16

// The fields.
const (
	HasAuthor Fields = 1 << iota
	HasContent
	HasEdited
	HasAttachments
	HasEmbeds
	HasComponents
	HasMentions
	HasPoll
	HasStickers
	HasSnapshots
)

// Has reports whether the payload held all of fields.
func (m *Message) Has(fields Fields) bool { return m.Present&fields == fields }

// Whole reports whether the payload is a whole message, not a partial update.
func (m *Message) Whole() bool { return m.Has(HasAuthor | HasContent) }

// ReferencedState distinguishes a referenced message that was not loaded from one that
// was deleted.
type ReferencedState uint8

// The states.
const (
	ReferencedAbsent ReferencedState = iota // not loaded, nothing known
	ReferencedNull                          // deleted
	ReferencedGiven
)

// Reference points at another message.
type Reference struct {
	Forward bool
	Message graph.MessageID
	Channel graph.ChannelID
}

// Snapshot is the forwarded copy of a message. It has no author.
type Snapshot struct{ Message Message }

// CommandUse is the use of a command that a message answers.
type CommandUse struct {
	Name string // of the command; "" if unknown
	User User
}

// User is an account, or the identity a webhook speaks as.
type User struct {
	ID     graph.UserID
	Name   string // username
	Global string // display name in all guilds, "" if not set
	Bot    bool
	System bool
}

// DisplayName returns the global name, else the username, else the id.
func (u User) DisplayName() string {
	switch {
	case u.Global != "":
		return u.Global
	case u.Name != "":
		return u.Name
	case u.ID != 0:
		return u.ID.String()
	default:
		return "somebody"
	}
}

// Attachment is a file on a message.
type Attachment struct {
	ID          graph.AttachmentID
	Name        string // file name
	Title       string
	Description string // the alternative text that the sender gave
	Type        string // media type
	Size        int64  // bytes
	URL         string // signed, expires
	ProxyURL    string
	Seconds     float64 // of a voice message or clip
}

// Embed is a card below a message: by a bot, or the preview of a link.
type Embed struct {
	Type        string // rich, image, video, gifv, article, link, poll_result …
	Title       string
	Description string
	Provider    string
	Author      string
	Footer      string
	Fields      []EmbedField
}

// EmbedField is one named field of an embed.
type EmbedField struct{ Name, Value string }

// Sticker is a sticker on a message.
type Sticker struct{ Name string }

// Poll is a poll with the results known so far.
type Poll struct {
	Question string
	Answers  []PollAnswer
	Final    bool // the votes are counted
}

// PollAnswer is one answer of a poll. Votes is -1 if unknown.
type PollAnswer struct {
	ID    int64
	Text  string
	Votes int64
}

// Component is a part of a message's layout, or a control in it. Unknown types keep
// their text and children.
type Component struct {
	Type        int64
	Label       string
	Text        string // content of a text display, placeholder of a menu
	Description string // of media
	Name        string // of a file
	CustomID    string // by which a bot knows a button or a menu of its own
	Children    []Component
}
