package fetch

import (
	"cmp"
	"log/slog"
	"math"
	"slices"

	"heddle/graph"
)

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

// NewRecord returns an empty record. The caller of Add bounds it.
func NewRecord() *Record {
	return &Record{newHistory(nil, slog.New(slog.DiscardHandler), math.MaxInt, math.MaxInt64)}
}

// Add adds a stretch. Stretches may overlap.
func (r *Record) Add(s Stretch) {
	if len(s.Messages) > 0 {
		r.history.logs.change(s.Messages[0].Channel, func(c *channelLog) { c.recorded(s) })
	}
}

// Mention begins a reading for a trigger.
func (r *Record) Mention(place Place) *Mention { return r.history.Mention(place) }

// recorded adds messages that were rendered before, oldest first, so that each part of
// an answer finds the part before it.
func (c *channelLog) recorded(s Stretch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	messages := slices.Clone(s.Messages)
	slices.SortFunc(messages, func(a, b graph.Message) int { return cmp.Compare(a.ID, b.ID) })
	for i := range messages {
		m := messages[i]
		if m.Origin == graph.OriginSelf {
			c.messages.hang(m.ID, cmp.Or(m.Answers, repliedTo(&m)))
		}
		switch at := c.messages.find(m.ID); {
		case at < 0:
			c.messages.put(entry{Message: m})
		case m.Edited.After(c.messages.entries[at].Edited):
			c.messages.replace(at, entry{Message: m})
		}
	}
	held := span{lo: messages[0].ID, hi: messages[len(messages)-1].ID, start: s.Start}
	if s.Start {
		held.lo = 1
	}
	c.spans = c.spans.add(held)
	c.live = c.live || s.End
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
