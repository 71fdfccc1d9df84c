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

// record is the Caller of a Record, beyond which there is nothing to read.
type record struct{}

// Get finds nothing.
func (record) Get(context.Context, string, url.Values) (json.RawMessage, error) {
	return nil, errNotRecorded
}

// recorded reports whether a history belongs to a Record.
func (r *rest) recorded() bool {
	_, is := r.caller.(record)
	return is
}

// Record is a history that consists of given stretches, such as parts of an exported
// channel. Mentions read it as they read Discord, through the same windows. References
// that lead outside are not loaded.
type Record struct{ history *History }

// Stretch is a part of a channel without gaps.
type Stretch struct {
	Messages []graph.Message // of one channel, in any order, not folded
	Start    bool            // no older message is known
	End      bool            // no newer message is known
}

// NewRecord returns an empty record. The caller must Close it.
func NewRecord() (*Record, error) {
	h, err := NewHistory(record{}, Options{Messages: 1 << 40, Bytes: 1 << 50}) // the caller of Add bounds it
	if err != nil {
		return nil, err
	}
	return &Record{h}, nil
}

// Add adds a stretch. Stretches may overlap.
func (r *Record) Add(s Stretch) {
	if len(s.Messages) == 0 {
		return
	}
	c := r.history.logs.use(s.Messages[0].Channel)
	c.recorded(s)
	r.history.logs.count(c)
}

// Mention begins a reading for a trigger.
func (r *Record) Mention(place Place) *Mention { return r.history.Mention(place) }

// Close ends the record.
func (r *Record) Close() { r.history.Close() }

// recorded adds messages that were rendered before, oldest first, so that each part of
// an answer finds the part before it.
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

// repliedTo returns the part of an answer before an own message.
func repliedTo(m *graph.Message) graph.MessageID {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceReply {
			return r.Message
		}
	}
	return 0
}
