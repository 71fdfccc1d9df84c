package fetch

import (
	"slices"
	"sync"
	"unique"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph"
	"heddle/internal/discord"
)

const (
	// maxGone bounds the deleted ids that are remembered for a channel.
	maxGone = 1024
	// maxChain bounds the parts of an own answer through which its chain of replies is
	// followed.
	maxChain = 64
	// maxReplies bounds the replies that are remembered of own messages that are not
	// held.
	maxReplies = 1024
)

// The bytes that things take in addition to their texts, as measured.
const (
	entrySize      = 348
	attachmentSize = 152
	referenceSize  = 40
	namedSize      = 48
	channelSize    = 1088
)

// entry is a message in a channel's log. Answers is the trigger of an own message.
type entry struct {
	graph.Message
	addresses []address // of the attachments
	named     []Named   // the names in it, without the author's
	bound     bool      // an answer was made from this version
	loading   bool      // a deferred answer of a bot that has not come yet
	withheld  bool      // only ids are held
	notice    bool      // of heddle's own, and no part of the conversation
}

// address is where an attachment of a message can be downloaded.
type address struct {
	Address

	id graph.AttachmentID
}

// unseen reports whether the message is never shown to anybody.
func (e *entry) unseen() bool { return e.System || e.withheld || e.notice }

// own reports whether heddle wrote the message.
func (e *entry) own() bool { return e.Origin == graph.OriginSelf }

func (e *entry) anchor() graph.MessageID { return e.Position().Anchor }

// next returns a later version of the entry. A link preview that resolves is no new
// version: if an answer was made from the message, its text and files stay. A deferred answer
// that arrives is a new version without an edit time (openclaw#20173).
func (e *entry) next(later entry) entry {
	if e.bound && later.Edited.Equal(e.Edited) && !e.arrives(later.loading) {
		later.Text, later.Calls, later.Added, later.Attachments, later.bound = e.Text, e.Calls, e.Added, e.Attachments, true
	}
	return later
}

// arrives reports whether a version of a deferred answer is the answer itself.
func (e *entry) arrives(loading bool) bool { return e.loading && !loading }

// size returns roughly how many bytes the entry takes.
func (e *entry) size() int64 {
	n := entrySize + len(e.Text) + len(e.Attachments)*attachmentSize + len(e.References)*referenceSize + len(e.named)*namedSize
	for _, a := range e.addresses {
		n += len(a.URL) + len(a.Proxy)
	}
	return int64(n)
}

// timeline is the messages of a channel by position, with what was deleted and what
// heddle's own ones answer. The lock of its log guards it.
type timeline struct {
	id      graph.ChannelID
	filter  *filter
	entries []entry // by position
	bytes   int64   // of the entries, about
	gone    *lru.Cache[graph.MessageID, struct{}]
	// replies maps heddle's own messages, held or not, to the messages that they reply
	// to. Parts of an answer reply to the part before.
	replies map[graph.MessageID]graph.MessageID
	// unnamed holds messages with names that were asked for, as Discord sent them.
	unnamed map[graph.MessageID]*discord.Message
}

// channelLog is what is known of one channel: messages, and the stretches of the channel
// of which no message is missing. Events may arrive twice, late or in any order: the log
// holds the latest version of each message, never brings back a deleted one, and places an
// own answer behind its trigger as soon as that is known.
type channelLog struct {
	// The logs that own this log use these fields, under their lock.
	counted int64
	used    uint64

	mu       sync.Mutex
	messages timeline
	// people includes everybody who wrote a message that is held or whom one may name,
	// and perhaps others.
	people map[graph.UserID]struct{}
	spans  spans
	live   bool // the last span grows with every event
}

func newChannelLog(id graph.ChannelID, f *filter) *channelLog {
	gone, _ := lru.New[graph.MessageID, struct{}](maxGone) // the size is positive
	return &channelLog{
		people: make(map[graph.UserID]struct{}),
		messages: timeline{
			id: id, filter: f, gone: gone, replies: make(map[graph.MessageID]graph.MessageID),
			unnamed: make(map[graph.MessageID]*discord.Message),
		},
	}
}

// search returns the index at which position p is or would be, and reports whether
// it is there.
func (t *timeline) search(p graph.Position) (int, bool) {
	return slices.BinarySearchFunc(t.entries, p, func(e entry, p graph.Position) int { return e.Position().Compare(p) })
}

// find returns the index of the message, or -1 if it is not held.
func (t *timeline) find(id graph.MessageID) int {
	at, held := t.search(graph.Position{Anchor: t.anchor(id), Message: id})
	if !held {
		return -1
	}
	return at
}

// anchor follows the replies of an own message to the first message that is not known
// to be heddle's. Any other message is its own anchor.
func (t *timeline) anchor(id graph.MessageID) graph.MessageID {
	for range maxChain {
		to, own := t.replies[id]
		if !own || to >= id { // a message cannot answer a later one
			break
		}
		id = to
	}
	return id
}

// put inserts e, which must not be held yet.
func (t *timeline) put(e entry) {
	e.Answers = t.anchor(e.ID)
	if e.Answers == e.ID {
		e.Answers = 0
	}
	e.Name = unique.Make(e.Name).Value()
	t.bytes += e.size()
	at, _ := t.search(e.Position())
	t.entries = slices.Insert(t.entries, at, e)
}

// take removes and returns the entries [from, to). Nothing in the log holds their texts
// afterwards.
func (t *timeline) take(from, to int) []entry {
	taken := slices.Clone(t.entries[from:to])
	for i := range taken {
		t.bytes -= taken[i].size()
	}
	t.entries = slices.Delete(t.entries, from, to)
	return taken
}

// replace replaces the version that is held.
func (t *timeline) replace(at int, e entry) {
	t.take(at, at+1)
	t.put(e)
}

// remove removes a message and remembers that it was deleted.
func (t *timeline) remove(id graph.MessageID) {
	t.gone.Add(id, struct{}{})
	t.filter.forgo(id)
	delete(t.unnamed, id)
	if at := t.find(id); at >= 0 {
		t.take(at, at+1)
	}
}

// hang records what an own message replies to, and moves everything held that depends
// on it to its place.
func (t *timeline) hang(own, to graph.MessageID) {
	if own == to || to == 0 || t.replies[own] == to {
		return
	}
	// The messages that reply to own stand behind the current anchor of own.
	anchor := t.anchor(own)
	from, _ := t.search(graph.Position{Anchor: anchor})
	until := from
	for until < len(t.entries) && t.entries[until].anchor() == anchor {
		until++
	}
	moved := t.take(from, until)
	t.replies[own] = to
	for _, e := range moved {
		t.put(e)
	}
	if len(t.replies) > len(t.entries)+maxReplies {
		t.forgetReplies()
	}
}

// forgetReplies drops what own messages that are not held reply to.
func (t *timeline) forgetReplies() {
	clear(t.replies)
	for i := range t.entries {
		if e := &t.entries[i]; e.Answers != 0 {
			t.replies[e.ID] = e.Answers
		}
	}
}

// noteReply records what an own message replies to, unless its trigger is known.
func (t *timeline) noteReply(m *discord.Message) {
	if _, known := t.replies[m.ID]; !known && m.Reference != nil && !m.Reference.Forward && m.Type == discord.TypeReply && m.Interaction == nil {
		t.hang(m.ID, m.Reference.Message)
	}
}

// trim removes the oldest messages if there are more than limit. It removes an eighth
// more than needed, so that a busy channel does not pay for it with every message.
func (c *channelLog) trim(limit int) {
	if len(c.messages.entries) <= limit {
		return
	}
	first := c.messages.entries[len(c.messages.entries)-(limit-limit/8)].anchor()
	until, _ := c.messages.search(graph.Position{Anchor: first})
	c.messages.take(0, until)
	c.spans = c.spans.from(first)
	c.live = c.live && len(c.spans) > 0
}

// hear extends the live span to id, or begins one there.
func (c *channelLog) hear(id graph.MessageID) {
	n := len(c.spans)
	switch {
	case c.live: // one that comes late was covered already
		c.spans[n-1].hi = max(c.spans[n-1].hi, id)
	case n > 0 && id < c.spans[n-1].lo:
		// A page holds newer messages, up to when it was read. Messages between that
		// and id may be missing.
	default:
		c.spans, c.live = c.spans.add(span{lo: id, hi: id}), true
	}
}
