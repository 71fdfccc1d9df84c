package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"

	"heddle/graph"
)

var errNotRecorded = errors.New("this is not part of the record")

// record is a Caller for what was recorded: there is nothing else to read.
type record struct{}

// Get knows nothing.
func (record) Get(context.Context, string, url.Values) (json.RawMessage, error) {
	return nil, errNotRecorded
}

// recorded reports whether a history is a Record's.
func (r *rest) recorded() bool {
	_, is := r.caller.(record)
	return is
}

// Record is a history of exactly the stretches that it is given: what is needed of
// an exported channel, say. Mentions read it as they read Discord, through the same
// windows; what is referred to and not in it is not loaded.
type Record struct{ history *History }

// Stretch is a part of a channel, between whose messages nothing is missing.
type Stretch struct {
	Messages []graph.Message // of one channel, in any order, not folded
	Start    bool            // nothing older is known to be
	End      bool            // nothing newer is known to be
}

// NewRecord makes an empty record. Close ends it.
func NewRecord() (*Record, error) {
	h, err := NewHistory(record{}, Options{Messages: 1 << 40, Bytes: 1 << 50}) // whoever adds bounds it
	if err != nil {
		return nil, err
	}
	return &Record{h}, nil
}

// Add takes in a stretch. Stretches may overlap, and grow what is held.
func (r *Record) Add(s Stretch) {
	if len(s.Messages) == 0 {
		return
	}
	c := r.history.logs.use(s.Messages[0].Channel)
	c.recorded(s)
	r.history.logs.count(c)
}

// Mention begins the reading for a trigger.
func (r *Record) Mention(place Place) *Mention { return r.history.Mention(place) }

// Close ends the record.
func (r *Record) Close() { r.history.Close() }

// recorded takes in messages that were rendered before, oldest first, so that the
// parts of an answer find the part before.
func (c *channelLog) recorded(s Stretch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	messages := slices.Clone(s.Messages)
	slices.SortFunc(messages, func(a, b graph.Message) int { return cmp.Compare(a.ID, b.ID) })
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Origin != graph.OriginSelf:
		case m.Answers != 0:
			c.messages.answers(m.ID, m.Answers)
		default:
			c.messages.reply(m.ID, repliedTo(m))
		}
		switch at := c.messages.find(m.ID); {
		case at < 0:
			c.messages.put(newEntry(&rendered{Message: *m, content: len(m.Text) - m.Added}))
		case micro(m.Edited) > c.messages.entries[at].edited:
			c.messages.replace(at, newEntry(&rendered{Message: *m, content: len(m.Text) - m.Added}))
		}
	}
	held := span{lo: messages[0].ID, hi: messages[len(messages)-1].ID, start: s.Start}
	if s.Start {
		held.lo = 1
	}
	c.covered.spans = c.covered.spans.add(held)
	c.covered.live = c.covered.live || s.End
}

// repliedTo returns the part before an own message.
func repliedTo(m *graph.Message) graph.MessageID {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceReply {
			return r.Message
		}
	}
	return 0
}
