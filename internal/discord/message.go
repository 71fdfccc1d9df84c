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

	Type        MessageType
	Flags       uint64
	Webhook     uint64       // id of the webhook that sent it, 0 for none
	Application graph.UserID // the application whose interaction it answers, or whose webhook it is

	Content string
	Time    time.Time // when it was first sent; from the id where Discord gives none
	Edited  time.Time // zero where never edited

	Mentions        []User
	MentionRoles    []graph.RoleID
	MentionChannels []Channel

	Attachments []Attachment
	Embeds      []Embed
	Stickers    []Sticker
	Components  []Component
	Poll        *Poll
	Interaction *Interaction

	Reference *Reference
	// Referenced is the message replied to; nil unless ReferencedState is ReferencedGiven.
	Referenced      *Message
	ReferencedState ReferencedState
	Snapshots       []Snapshot

	// Present says which fields the payload held: an update of a partial kind
	// leaves out what did not change.
	Present Fields
}

// Fields is a set of the fields of a message whose absence means something.
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

// Has says whether the payload held all of fields.
func (m *Message) Has(fields Fields) bool { return m.Present&fields == fields }

// Whole says whether the payload is a whole message, not a partial update.
func (m *Message) Whole() bool { return m.Has(HasAuthor | HasContent) }

// ReferencedState tells an absent referenced message from one that is gone.
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

// Interaction says what somebody used to make an application answer.
type Interaction struct {
	Name string // of the command; "" where not given
	User User
}

// User is an account, or the identity a webhook speaks as.
type User struct {
	ID     graph.UserID
	Name   string // username
	Global string // display name that holds everywhere, "" where not set
	Bot    bool
	System bool
}

// DisplayName is the global name, else the username, else the id.
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

// Poll is a poll, with its results as far as Discord tells them.
type Poll struct {
	Question string
	Answers  []PollAnswer
	Final    bool // the votes are counted for good
}

// PollAnswer is one answer of a poll. Votes is -1 where nothing is known.
type PollAnswer struct {
	ID    int64
	Text  string
	Votes int64
}

// Component is a part of a message's layout, or a control in it. Kinds that are
// not known are kept with what text and children they hold.
type Component struct {
	Type        int64
	Label       string
	Text        string // content of a text display, placeholder of a menu
	Description string // of media
	Name        string // of a file
	Children    []Component
}
