package graph

import (
	"cmp"
	"strings"
	"time"
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
	// Added is the number of bytes at the end of Text that heddle wrote: lines that
	// stand for stickers, polls, embeds and the like. The author typed the rest.
	Added       int
	Attachments []Attachment
	References  []Reference
}

// AsksNothing reports whether a message consists of one mention and nothing else.
func (m *Message) AsksNothing() bool {
	text := strings.TrimSpace(m.Text)
	call := text == "" || strings.HasPrefix(text, "@") && !strings.ContainsAny(text, " \n\t")
	return call && len(m.Attachments) == 0 && len(m.References) == 0
}

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

// Origin is the kind of a message's author.
type Origin uint8

// The origins.
const (
	OriginPerson  Origin = iota
	OriginBot            // another bot
	OriginSelf           // heddle
	OriginWebhook        // a webhook, which may speak for a person, and under any name
)

// Attachment is a file on a message. Hash is the SHA-256 of its bytes, or zero if they
// are not known. A signed address never identifies an attachment.
type Attachment struct {
	ID   AttachmentID
	Name string
	Type string // media type, "" if Discord names none
	Size int64  // bytes
	Hash [32]byte
}

// Reference is a pointer from one message to another that it answers or refers to.
type Reference struct {
	Kind    ReferenceKind
	Channel ChannelID // the target's channel
	Message MessageID // zero for an address
	User    UserID    // the person addressed, or the author of what is forwarded if known; else zero
	State   ReferenceState
}

// ReferenceKind is the kind of a reference edge.
type ReferenceKind uint8

// The kinds of reference edges.
const (
	ReferenceReply    ReferenceKind = iota // a Discord reply
	ReferenceStarter                       // a thread's first message, in the parent channel
	ReferenceForward                       // a forward; its snapshot is part of the forwarding text
	ReferenceAddress                       // a mention of a person
	ReferenceInferred                      // an affinity's link
	ReferenceLink                          // a link to a message, typed into the text
)

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
