package graph

import (
	"fmt"
	"slices"
	"time"
)

// Source reads messages for Expand. Expand asks for all that one round needs in one
// Batch, so that an implementation can share reads and make them in parallel. The order
// of its reads must not affect its answers.
//
// A Source returns folded messages (see Fold), without system messages. It decides how
// much to load: a stretch may end with EndUnread, which seals that side. A target that
// is deleted or may not be read is a ReferenceState; an error ends the expansion. Returned
// messages must not change afterwards. One goroutine at a time uses a Source.
type Source func(Batch) (Reading, error)

// Batch is what one round reads.
type Batch struct {
	Lookups []Lookup
	Walks   []Walk
}

// Lookup asks for one message.
type Lookup struct {
	Channel ChannelID
	Message MessageID
}

// Walk asks for the nearest messages in a channel strictly before or after a position.
type Walk struct {
	Channel   ChannelID
	From      Position
	Direction Direction
	Limit     int // the greatest number of messages; above 0
}

// Direction is a direction of walking.
type Direction uint8

// The directions.
const (
	Older Direction = iota
	Newer           // 1, so that the other direction is 1-d
)

// String returns the direction in one word.
func (d Direction) String() string { return nameOf(d, "older", "newer") }

// Reading answers a Batch: Found[i] belongs to Lookups[i], Stretches[i] to Walks[i].
type Reading struct {
	Found     []Found
	Stretches []Stretch
}

// Found is the outcome of a lookup. Message is set only if State is ReferenceResolved:
// the requested message, or the answer that it is a part of, or, if nobody may use that
// message, the one that it answers.
type Found struct {
	State   ReferenceState
	Message Message
}

// Stretch is the outcome of a walk: the messages, nearest first and none missing between
// them, and why there are fewer than the limit. After a short stretch with EndNone there
// are more messages; Expand asks for them when it needs them.
type Stretch struct {
	Messages []Message
	End      End
}

// End is the reason why a stretch is shorter than asked for.
type End uint8

// The ends of a stretch.
const (
	EndNone       End = iota // there may be more
	EndChannel               // the channel starts or ends here
	EndUnread                // there may be more, which the source does not load
	EndUnreadable            // there may be more, which may not be read
)

// line holds everything that was read: messages, and which ones are neighbours in their
// channel. It holds more than the graph, as walks read ahead.
type line struct {
	source  Source
	options Options
	trigger Position      // that of entry 0
	longest time.Duration // the longest gap to walk across
	entries []entry
	index   map[MessageID]int // ids of messages and of their parts
	walks   []Walk            // to make next
	walkers []int             // the entries that they start from
}

// These values of an entry's neighbour mean that it has none.
const (
	neighbourUnknown = -1 - iota
	neighbourChannelEnd
	neighbourUnread
	neighbourUnreadable
	neighbourTrigger
)

// add stores a message and returns its entry. A known message stays as it is.
func (l *line) add(m *Message) int {
	if at, known := l.index[m.ID]; known {
		return at
	}
	at := len(l.entries)
	l.entries = append(l.entries, entry{message: m, neighbour: [2]int{neighbourUnknown, neighbourUnknown}})
	l.index[m.ID] = at
	for _, part := range m.Parts {
		l.index[part] = at
	}
	return at
}

// read asks the source.
func (l *line) read(batch Batch) (Reading, error) {
	if len(batch.Lookups) == 0 && len(batch.Walks) == 0 {
		return Reading{}, nil
	}
	reading, err := l.source(batch)
	if err != nil {
		return Reading{}, fmt.Errorf("read messages: %w", err)
	}
	return reading, nil
}

// readBack reads the newest messages before the trigger.
func (l *line) readBack() error {
	wanted := l.options.recent()
	for at, held := 0, 0; held < wanted; {
		l.walkFrom(at, Older, wanted-held)
		if err := l.walk(); err != nil {
			return err
		}
		for l.entries[at].neighbour[Older] >= 0 {
			at = l.entries[at].neighbour[Older]
			held++
		}
		if l.entries[at].neighbour[Older] != neighbourUnknown {
			break
		}
	}
	return nil
}

// walkFrom records a walk for the next call of walk, unless the entry's neighbour is known.
func (l *line) walkFrom(at int, direction Direction, limit int) {
	if l.entries[at].neighbour[direction] != neighbourUnknown {
		return
	}
	m := l.entries[at].message
	l.walkers = append(l.walkers, at)
	l.walks = append(l.walks, Walk{Channel: m.Channel, From: m.Position(), Direction: direction, Limit: limit})
}

// walk makes the recorded walks.
func (l *line) walk() error {
	reading, err := l.read(Batch{Walks: l.walks})
	if err != nil {
		return err
	}
	for i := range l.walks {
		l.learn(l.walkers[i], l.walks[i].Direction, &reading.Stretches[i])
	}
	l.walks, l.walkers = l.walks[:0], l.walkers[:0]
	return nil
}

// learn adds what a walk from an entry found.
func (l *line) learn(from int, direction Direction, stretch *Stretch) {
	l.entries = slices.Grow(l.entries, len(stretch.Messages))
	at := from
	stop := func(why int) { // unless the neighbour is known
		if l.entries[at].neighbour[direction] == neighbourUnknown {
			l.entries[at].neighbour[direction] = why
		}
	}
	for i := range stretch.Messages {
		m := &stretch.Messages[i]
		position := m.Position()
		if direction == Newer && position.Compare(l.trigger) >= 0 {
			stop(neighbourTrigger)
			return
		}
		beyond := position.Compare(l.entries[at].message.Position())
		if direction == Older && beyond >= 0 || direction == Newer && beyond <= 0 {
			continue
		}
		next := l.add(m)
		l.entries[at].neighbour[direction] = next
		l.entries[next].neighbour[1-direction] = at
		at = next
	}
	switch stretch.End {
	case EndChannel:
		stop(neighbourChannelEnd)
	case EndUnreadable:
		stop(neighbourUnreadable)
	case EndUnread:
		stop(neighbourUnread)
	case EndNone:
		if at == from {
			stop(neighbourUnread)
		}
	}
}

// gapBetween returns the gap from an entry to its neighbour.
func (l *line) gapBetween(at, next int, direction Direction) time.Duration {
	if direction == Older {
		at, next = next, at
	}
	return gap(l.entries[at].message, l.entries[next].message)
}

// timeBetween returns the time between two entries.
func (l *line) timeBetween(a, b int) time.Duration {
	return l.entries[a].message.Time.Sub(l.entries[b].message.Time).Abs()
}

// separated reports whether the gap between neighbours is too long to walk across. No gap
// separates seeds.
func (l *line) separated(at, next int, direction Direction) bool {
	return l.gapBetween(at, next, direction) > l.longest && (!l.entries[at].seed || !l.entries[next].seed)
}

// pointsAtStarter reports whether an entry is the message that Discord puts first in a
// thread to point at the thread's starter. It has no content of its own, so it is not judged.
func (l *line) pointsAtStarter(at int) bool {
	return at != 0 && slices.ContainsFunc(l.entries[at].message.References, func(r Reference) bool { return r.Kind == ReferenceStarter })
}
