package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Message is one immutable version of a message. An edit makes another Message with the
// same ID and a later Edited. A long answer of heddle's that was sent as several
// Discord messages is one Message (see Fold).
type Message struct {
	ID      MessageID
	Edited  time.Time // zero for the version first sent; (ID, Edited) names a version
	Channel ChannelID
	Time    time.Time // when it was first sent

	Author UserID
	Name   string // the author's global name or username, frozen with this version
	Origin Origin

	// Answers is the trigger that this message answers. It is zero unless Origin is
	// OriginSelf.
	Answers MessageID
	// Parts are the ids of the further Discord messages of an answer, oldest first. A
	// reference to any of them is a reference to this message.
	Parts []MessageID

	// System marks joins, pins, topic changes and the like. They are never part of a
	// context, and walks pass over them.
	System bool

	// Text is what the model reads: the content, with embeds, stickers, polls and
	// forwarded messages rendered into it. It is valid UTF-8.
	Text string
	// Calls is the number of bytes at the beginning of Text that are a mention, as a name may
	// hold spaces.
	Calls int
	// Added is the number of bytes at the end of Text that heddle wrote: lines that
	// stand for stickers, polls, embeds and the like. The author typed the rest.
	Added       int
	Attachments []Attachment
	References  []Reference
	// OpenPoll is set if the message has a poll in which people still vote. The votes are no part
	// of Text, as they change without a new version.
	OpenPoll bool `json:",omitzero"`
}

// AsksNothing reports whether a message consists of one mention and nothing else.
func (m *Message) AsksNothing() bool {
	text := strings.TrimSpace(m.Said())
	call := text == "" || strings.HasPrefix(text, "@") && !strings.ContainsAny(text, " \n\t")
	return call && len(m.Attachments) == 0 && len(m.References) == 0
}

// Said returns Text without a mention at its beginning.
func (m *Message) Said() string { return m.Text[min(m.Calls, len(m.Text)):] }

// Says returns what a message says: its text, and the names of its files in brackets.
func (m *Message) Says() string {
	said := make([]string, 0, 1+len(m.Attachments))
	if m.Text != "" || len(m.Attachments) == 0 {
		said = append(said, m.Text)
	}
	for i := range m.Attachments {
		said = append(said, "["+m.Attachments[i].Name+"]")
	}
	return strings.Join(said, " ")
}

// Holds reports whether id is the message's own or that of one of its parts.
func (m *Message) Holds(id MessageID) bool {
	return m.ID == id || slices.Contains(m.Parts, id)
}

// refersTo returns the references of m. An answer of heddle's own refers to its question.
func (m *Message) refersTo() []Reference {
	if m.Answers == 0 || slices.ContainsFunc(m.References, func(r Reference) bool { return r.Message == m.Answers && r.in(m) == m.Channel }) {
		return m.References
	}
	return append(slices.Clip(m.References), Reference{Kind: ReferenceReply, Channel: m.Channel, Message: m.Answers})
}

// isBots reports whether a program wrote m. A webhook does not count, as it may speak
// for a person.
func (m *Message) isBots() bool { return m.Origin == OriginBot || m.Origin == OriginSelf }

// kindOf returns the kind of reference by which a message leads to another.
func kindOf(from, to *Message) ReferenceKind {
	for _, r := range from.refersTo() {
		if (r.answers() || r.Kind == ReferenceLink) && to.Holds(r.Message) {
			return r.Kind
		}
	}
	return ReferenceInferred
}

// Origin is the kind of a message's author.
type Origin uint8

// The origins.
const (
	OriginPerson  Origin = iota
	OriginBot            // another bot
	OriginSelf           // heddle
	OriginWebhook        // a webhook, which may speak for a person, and under any name
)

// String returns the origin in one word.
func (o Origin) String() string { return nameOf(o, "person", "bot", "self", "webhook") }

// Attachment is a file on a message. Hash is the SHA-256 of its bytes, or zero if they
// are not known. A signed address never identifies an attachment.
type Attachment struct {
	ID   AttachmentID
	Name string
	Type string // media type, "" if Discord names none
	Size int64  // bytes
	Hash [32]byte
	// On is the message that carries the file, if a question in several messages lists it.
	On MessageID

	Width, Height int  // of a picture in pixels; 0 if Discord names none
	Spoiler       bool // it is covered until somebody uncovers it
	Seconds       int  // the length of a voice message; 0 if it is none
}

// VoiceLine returns the line that stands for a voice message in the text of a message, without
// the bracket that ends it.
func (a *Attachment) VoiceLine() string { return fmt.Sprintf("[voice message, %d s", a.Seconds) }

// Reference is a pointer from one message to another that it answers or refers to.
type Reference struct {
	Kind    ReferenceKind
	Channel ChannelID // the target's channel
	Message MessageID // zero for an address, and for a link to a thread until its first message is found
	User    UserID    // the person addressed, or the author of what is forwarded if known; else zero
	State   ReferenceState
}

// in returns the channel that a reference of m leads to.
func (r *Reference) in(m *Message) ChannelID { return cmp.Or(r.Channel, m.Channel) }

// answers reports whether a message with this reference answers its target.
func (r *Reference) answers() bool { return r.Kind == ReferenceReply || r.Kind == ReferenceForward }

// ReferenceKind is the kind of a reference edge.
type ReferenceKind uint8

// The kinds of reference edges.
const (
	ReferenceReply    ReferenceKind = iota // a Discord reply
	ReferenceStarter                       // a thread's first message, in the parent channel
	ReferenceForward                       // a forward; its snapshot is part of the forwarding text
	ReferenceAddress                       // a mention of a person
	ReferenceInferred                      // an affinity's link
	ReferenceLink                          // a link to a message or thread, typed into the text
)

// String returns the kind in one word.
func (k ReferenceKind) String() string {
	return nameOf(k, "reply", "starter", "forward", "address", "inferred", "link")
}

// ReferenceState is what is known about a reference's target.
type ReferenceState uint8

// The states of a reference.
const (
	ReferenceNotLoaded  ReferenceState = iota // nobody has looked yet
	ReferenceResolved                         // the target was read
	ReferenceDeleted                          // the target is gone
	ReferenceUnreadable                       // the target may not be read
	ReferenceWithheld                         // the target is by somebody who opted out
)

// WithoutForward removes the words and files that m forwards. A webhook's message forwards
// another as a whole.
func (m *Message) WithoutForward() {
	own := len(m.Text) - m.Added
	if m.Origin == OriginWebhook {
		own = 0
	}
	m.Text, m.Added, m.Attachments = m.Text[:own], 0, nil
}

// String returns the state in one word or two.
func (s ReferenceState) String() string {
	return nameOf(s, "not loaded", "resolved", "deleted", "unreadable", "withheld")
}

// Position is a message's place in a conversation. Messages are ordered by id, which on
// Discord is by time, except that an answer of heddle's stands directly behind its
// trigger, however late it was sent.
type Position struct {
	Anchor  MessageID
	Message MessageID
}

// Position returns the place of m.
func (m *Message) Position() Position {
	if m.Answers != 0 {
		return Position{Anchor: m.Answers, Message: m.ID}
	}
	return Position{Anchor: m.ID, Message: m.ID}
}

// Compare orders positions, oldest first.
func (p Position) Compare(q Position) int {
	if c := cmp.Compare(p.Anchor, q.Anchor); c != 0 {
		return c
	}
	return cmp.Compare(p.Message, q.Message)
}

// discordEpoch is the first second of 2015, from which snowflakes count
// milliseconds (Discord API reference, "Snowflakes").
const discordEpoch = 1420070400000

// ID is a Discord snowflake of one kind of thing. The type parameter only keeps a
// channel's id from being passed in place of a message's. The zero ID means "none". IDs
// are exact 64-bit integers and must not pass through float64: in JSON they are strings.
type ID[Kind any] uint64

// MessageID is a message's id.
type MessageID = ID[messageKind]

// ChannelID is a channel's id. A thread is a channel.
type ChannelID = ID[channelKind]

// UserID is a person's id, or a bot's, or a webhook's.
type UserID = ID[userKind]

// GuildID is a guild's id.
type GuildID = ID[guildKind]

// RoleID is a role's id.
type RoleID = ID[roleKind]

// AttachmentID is an attachment's id.
type AttachmentID = ID[attachmentKind]

// The kinds of things that have an id.
type (
	messageKind    struct{}
	channelKind    struct{}
	userKind       struct{}
	guildKind      struct{}
	roleKind       struct{}
	attachmentKind struct{}
)

// String returns the decimal form.
func (id ID[Kind]) String() string { return strconv.FormatUint(uint64(id), 10) }

// Time returns when the thing was created, to the millisecond.
func (id ID[Kind]) Time() time.Time {
	return time.UnixMilli(int64(uint64(id)>>22) + discordEpoch)
}

// FirstMessageID returns the least possible id of a message sent at t, or 0 before 2015.
func FirstMessageID(t time.Time) MessageID {
	return MessageID(max(t.UnixMilli()-discordEpoch, 0)) << 22
}

// MarshalText returns the decimal form, so that ids are strings in JSON, map keys included.
func (id ID[Kind]) MarshalText() ([]byte, error) {
	return strconv.AppendUint(nil, uint64(id), 10), nil
}

// UnmarshalText reads what MarshalText wrote. It refuses anything else, signs and spaces
// included. "0" and "" are the zero ID.
func (id *ID[Kind]) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "" || s == "0" {
		*id = 0
		return nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a Discord id", s)
	}
	*id = ID[Kind](n)
	return nil
}

// OneLine returns text as one line of at most size characters, without line breaks,
// control characters, or characters that change the writing direction.
func OneLine(text string, size int) string {
	var b strings.Builder
	length, space := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = length > 0
			continue
		case unicode.Is(unicode.Cf, r) && r != '\u200d':
			continue
		}
		if space {
			b.WriteByte(' ')
			length++
		}
		if length+1 >= size {
			return strings.TrimSuffix(b.String(), " ") + "…"
		}
		b.WriteRune(r)
		length++
		space = false
	}
	return b.String()
}

// Apart returns a name for use in a sentence. A name that is written from right to left
// is isolated, as it would otherwise change places with the words around it.
func Apart(name string) string {
	backwards := func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Nko, unicode.Syriac, unicode.Thaana)
	}
	if !strings.ContainsFunc(name, backwards) {
		return name
	}
	const begin, end = "\u2068", "\u2069" // first strong isolate, pop directional isolate
	return begin + name + end
}
