package discord

import (
	"strings"
	"time"
	"unicode"

	"heddle/graph"
)

// Message is a message as Discord sends it, over the gateway or REST.
type Message struct {
	ID      graph.MessageID `wire:"id"`
	Channel graph.ChannelID `wire:"channel_id"`
	Guild   graph.GuildID   `wire:"guild_id"` // gateway only; zero in direct messages and over REST
	Author  User            `wire:"author"`
	Member  *Member         `wire:"member"` // the author's membership of Guild; gateway only, nil if not told

	Type        MessageType  `wire:"type"`
	Flags       uint64       `wire:"flags"`
	Webhook     uint64       `wire:"webhook_id"`     // id of the webhook that sent it, 0 for none
	Application graph.UserID `wire:"application_id"` // the application whose interaction it answers, or whose webhook it is

	Content string    `wire:"content"`
	Time    time.Time `wire:"timestamp"`        // when it was first sent; from the id if Discord leaves it out
	Edited  time.Time `wire:"edited_timestamp"` // zero where never edited

	Mentions        []User         `wire:"mentions"`
	MentionRoles    []graph.RoleID `wire:"mention_roles"`
	MentionChannels []Channel      `wire:"mention_channels"`

	Attachments []Attachment `wire:"attachments"`
	Embeds      []Embed      `wire:"embeds"`
	Stickers    []Sticker    `wire:"sticker_items"`
	Components  []Component  `wire:"components"`
	Poll        *Poll        `wire:"poll"`
	Interaction *CommandUse  `wire:"interaction_metadata"`
	Activity    int64        `wire:"activity/type"` // of an invitation to do something together; 0 for none
	App         string       `wire:"application/name"`
	CallEnded   time.Time    `wire:"call/ended_timestamp"`                                      // zero while a call lasts
	Product     string       `wire:"purchase_notification/guild_product_purchase/product_name"` // that was bought
	Tier        string       `wire:"role_subscription_data/tier_name"`                          // that was subscribed to

	Reference *Reference `wire:"message_reference"`
	// Referenced is the message replied to; nil unless ReferencedState is ReferencedGiven.
	Referenced      *Message `wire:"referenced_message"`
	ReferencedState ReferencedState
	Snapshots       []Snapshot `wire:"message_snapshots"`

	// Whole is set if the payload names an author and a content. A partial update does not.
	Whole bool
	// Words returns the name of what the text refers to by a sign and an id, or "": "@" and a
	// person, "@&" and a role, "#" and a channel. If it is nil, only Mentions have names.
	Words func(sign string, id uint64) string
}

// ByWebhook reports whether a webhook sent a message, which may speak for a person, as bridges and
// PluralKit do. The answer of an application to an interaction is a bot's, although it has a
// webhook's id.
func (m *Message) ByWebhook() bool {
	return m.Webhook != 0 && m.Interaction == nil && (m.Application == 0 || m.Application != m.Author.ID)
}

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
	Forward bool            `wire:"type"`
	Message graph.MessageID `wire:"message_id"`
	Channel graph.ChannelID `wire:"channel_id"`
}

// Snapshot is the forwarded copy of a message. It has no author.
type Snapshot struct {
	Message Message `wire:"message"`
}

// CommandUse is the use of a command that a message answers.
type CommandUse struct {
	Name string `wire:"name"` // of the command; "" if unknown
	User User   `wire:"user"`
}

// User is an account, or the identity a webhook speaks as.
type User struct { //nolint:recvcheck // only complete changes it
	ID     graph.UserID `wire:"id"`
	Name   string       `wire:"username"`    // username
	Global string       `wire:"global_name"` // display name in all guilds, "" if not set
	Nick   string       `wire:"member/nick"` // in the guild of what names the user, "" if not set or not told
	Bot    bool         `wire:"bot"`
	System bool         `wire:"system"`
	// IsMember is set if the membership was told, as in events, and Nick is thus known.
	IsMember bool
}

// mostName bounds a name, in characters. Discord's longest are the 80 of webhooks.
const mostName = 80

// DisplayName returns how people in a place see a user: the nickname in the guild, else the
// display name, else the username, else the id. Everything that names people uses it. The name
// is one line without invisible characters, of which some lend a text another appearance
// (finding 3.1).
func (u User) DisplayName() string {
	for _, name := range [...]string{u.Nick, u.Global, u.Name} {
		if name = Named(name); name != "" {
			return name
		}
	}
	switch unseen := graph.OneLine(u.Name, mostName); {
	case unseen != "":
		return unseen
	case u.ID != 0:
		return u.ID.String()
	}
	return "somebody"
}

// Named returns the name of a person, role or channel as one line of at most mostName characters,
// or "" if it shows nothing.
func Named(name string) string {
	name = strings.TrimSpace(graph.OneLine(name, mostName))
	shows := func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point) && r != '\u2800'
	}
	if !strings.ContainsFunc(name, shows) {
		return ""
	}
	return name
}

// FlagSpoiler is the flag of an attachment that people see only once they uncover it.
const FlagSpoiler uint64 = 1 << 3

// Attachment is a file on a message.
type Attachment struct {
	ID          graph.AttachmentID `wire:"id"`
	Name        string             `wire:"filename"` // file name
	Title       string             `wire:"title"`
	Description string             `wire:"description"`  // the alternative text that the sender gave
	Type        string             `wire:"content_type"` // media type
	Size        int64              `wire:"size"`         // bytes
	URL         string             `wire:"url"`          // signed, expires
	ProxyURL    string             `wire:"proxy_url"`    // of the media proxy, which scales and converts pictures
	Width       int64              `wire:"width"`        // pixels, of a picture or video
	Height      int64              `wire:"height"`
	Spoiler     bool               `wire:"is_spoiler"`
	Flags       uint64             `wire:"flags"`
	Seconds     float64            `wire:"duration_secs"` // of a voice message or clip
}

// Embed is a card below a message: by a bot, or the preview of a link.
type Embed struct {
	Type        string       `wire:"type"` // rich, image, video, gifv, article, link, poll_result …
	Title       string       `wire:"title"`
	Description string       `wire:"description"`
	Link        string       `wire:"url"` // where its title leads
	Time        time.Time    `wire:"timestamp"`
	Image       Media        `wire:"image"`
	Thumbnail   Media        `wire:"thumbnail"`
	Provider    string       `wire:"provider/name"`
	Author      string       `wire:"author/name"`
	Footer      string       `wire:"footer/text"`
	Fields      []EmbedField `wire:"fields"`
}

// Media is a picture or a file in an embed or a component.
type Media struct {
	Attachment  graph.AttachmentID `wire:"attachment_id"` // if it was uploaded with the message
	URL         string             `wire:"url"`           // of any site
	ProxyURL    string             `wire:"proxy_url"`     // of the media proxy
	Type        string             `wire:"content_type"`  // media type
	Description string             `wire:"description"`
	Width       int64              `wire:"width"`
	Height      int64              `wire:"height"`
}

// EmbedField is one named field of an embed.
type EmbedField struct {
	Name  string `wire:"name"`
	Value string `wire:"value"`
}

// Sticker is a sticker on a message.
type Sticker struct {
	Name string `wire:"name"`
}

// Poll is a poll with the results known so far.
type Poll struct {
	Question string       `wire:"question/text"`
	Answers  []PollAnswer `wire:"answers"`
	Final    bool         `wire:"results/is_finalized"` // the votes are counted
	Multiple bool         `wire:"allow_multiselect"`    // people may choose several answers
}

// PollAnswer is one answer of a poll. Votes is -1 if unknown.
type PollAnswer struct {
	ID    int64  `wire:"answer_id"`
	Text  string `wire:"poll_media/text"`
	Votes int64
}

// Component is a part of a message's layout, or a control in it. Unknown types keep
// their text and children.
type Component struct {
	Type        int64       `wire:"type"`
	Label       string      `wire:"label"`
	Text        string      `wire:"content"`     // content of a text display, placeholder of a menu
	Description string      `wire:"description"` // of media
	Name        string      `wire:"name"`        // of a file
	CustomID    string      `wire:"custom_id"`   // by which a bot knows a button or a menu of its own
	Link        string      `wire:"url"`         // where a button leads
	Media       Media       `wire:"media"`
	Spoiler     bool        `wire:"spoiler"` // it is covered until somebody uncovers it
	Children    []Component `wire:"components"`
}

// MessageType is Discord's type of a message.
type MessageType int64

// The types of messages that people or applications write. Messages of all other types
// are notices by Discord.
const (
	TypeDefault     MessageType = 0
	TypeReply       MessageType = 19
	TypeSlash       MessageType = 20 // answer to a slash command
	TypeStarter     MessageType = 21 // first message of a thread; points at the starter
	TypeContextMenu MessageType = 23 // answer to a context menu command
)

// The types of notices that callers distinguish.
const (
	TypeRecipientAdd    MessageType = 1
	TypeRecipientRemove MessageType = 2
	TypeCall            MessageType = 3
	TypeChannelName     MessageType = 4
	TypeChannelIcon     MessageType = 5
	TypePin             MessageType = 6
	TypeJoin            MessageType = 7
	TypeBoost           MessageType = 8
	TypeThreadCreated   MessageType = 18
	TypePollResult      MessageType = 46
)

// Conversational reports whether people or applications write messages of this type.
func (t MessageType) Conversational() bool {
	return t == TypeDefault || t == TypeReply || t == TypeSlash || t == TypeStarter || t == TypeContextMenu
}

// The flags of a message that callers read.
const (
	FlagCrosspost      uint64 = 1 << 1 // a copy of a message of a channel that is followed
	FlagSuppressEmbeds uint64 = 1 << 2
	FlagSourceDeleted  uint64 = 1 << 3 // the message that it is a copy of was deleted
	FlagEphemeral      uint64 = 1 << 6
	FlagLoading        uint64 = 1 << 7
	FlagVoiceMessage   uint64 = 1 << 13
)

// The component types that hold text, media or other components.
const (
	ComponentButton      = 2
	ComponentTextDisplay = 10
	ComponentThumbnail   = 11
	ComponentFile        = 13
)
