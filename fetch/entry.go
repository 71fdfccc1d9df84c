package fetch

import (
	"time"
	"unique"

	"heddle/graph"
)

// entry is a message in a channel's log: a graph.Message without what the log knows
// anyway, so that it takes less memory.
type entry struct {
	id      graph.MessageID
	anchor  graph.MessageID // the trigger, for an answer of heddle's own; otherwise the id
	author  graph.UserID
	sent    int64 // Unix microseconds
	edited  int64 // Unix microseconds; 0 if never edited
	name    string
	text    string
	more    *more // nil for most
	content int32 // text[:content] comes from the message's content
	origin  graph.Origin
	system  bool
	early   bool // an own message whose event has not arrived yet
	bound   bool // an answer was made from this version

	withheld bool // only ids are held
	notice   bool // of heddle's own, and no part of the conversation
}

// more holds what few messages have.
type more struct {
	attachments []graph.Attachment
	references  []graph.Reference
	addresses   []address
}

// address is the address of an attachment, valid as long as its signature.
type address struct {
	id  graph.AttachmentID
	url string
}

func newEntry(r *rendered) entry {
	e := entry{
		id: r.ID, anchor: r.ID, author: r.Author,
		sent: r.Time.UnixMicro(), edited: micro(r.Edited),
		name: unique.Make(r.Name).Value(), text: r.Text,
		content: int32(r.content), //nolint:gosec // bounded by maxContent
		origin:  r.Origin, system: r.System,
	}
	if len(r.Attachments)+len(r.References) > 0 {
		e.more = &more{attachments: r.Attachments, references: r.References, addresses: r.addresses}
	}
	return e
}

func micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func (e *entry) position() graph.Position {
	return graph.Position{Anchor: e.anchor, Message: e.id}
}

// unseen reports whether the message is never shown to anybody.
func (e *entry) unseen() bool { return e.system || e.withheld || e.notice }

// own reports whether heddle wrote the message.
func (e *entry) own() bool { return e.origin == graph.OriginSelf }

// message returns the entry as a graph.Message, which shares memory with the entry and
// must not be changed.
func (e *entry) message(channel graph.ChannelID) graph.Message {
	m := graph.Message{
		ID: e.id, Channel: channel, Time: time.UnixMicro(e.sent).UTC(),
		Author: e.author, Name: e.name, Origin: e.origin, System: e.system, Text: e.text,
	}
	if e.origin != graph.OriginSelf {
		m.Added = len(e.text) - int(e.content)
	}
	if e.edited != 0 {
		m.Edited = time.UnixMicro(e.edited).UTC()
	}
	if e.anchor != e.id {
		m.Answers = e.anchor
	}
	if e.more != nil {
		m.Attachments, m.References = e.more.attachments, e.more.references
	}
	return m
}

// The bytes that things take in addition to their texts, measured by
// BenchmarkHeldMessage.
const (
	entrySize      = 120
	attachmentSize = 112
	referenceSize  = 40
	channelSize    = 1024
	personSize     = 16
)

// size returns roughly how many bytes the entry takes.
func (e *entry) size() int64 {
	n := int64(entrySize + len(e.text))
	if e.more != nil {
		n += int64(len(e.more.attachments)*attachmentSize + len(e.more.references)*referenceSize + 72)
		for _, a := range e.more.addresses {
			n += int64(len(a.url) + 24)
		}
	}
	return n
}
