package graph

import (
	"fmt"
	"slices"
	"time"
)

// line holds everything that was read so far: messages, and which ones are neighbours
// in their channel. It holds more than the graph, as walks read ahead.
type line struct {
	source  Source
	options Options
	trigger Position
	longest time.Duration // the longest gap to walk across
	entries []entry
	index   map[MessageID]int // ids of messages and of their parts
	walks   []Walk            // to be made
	walkers []int             // entries that the walks start from
}

// entry is a message that was read.
type entry struct {
	message *Message
	// beside holds, by Direction, the entry next to this one, or the reason why there
	// is none.
	beside [2]int
	// node is the index of its node; notInGraph if it was not reached.
	node   int
	seed   bool    // of the trigger as well
	sealed [2]bool // by Direction: walks ended here
	// considered marks a message that was judged: explored for an affinity, or the target
	// of a way that was not taken.
	considered bool
	number     int  // index among the explored messages
	followed   bool // the references were followed
	linked     int  // the judgement whose links were followed, from 1
	// probability is that of belonging to the conversation. Without an affinity it is 1 for
	// what was reached.
	probability float64
	needed      float64 // the probability that the trigger needs it
}

const notInGraph = -1

// These values of beside mean that no entry stands there.
const (
	besideUnknown = -1 - iota
	besideChannelEnd
	besideUnread
	besideUnreadable
	besideTrigger
)

func newLine(source Source, trigger *Message, options Options) *line {
	l := &line{
		source:  source,
		options: options,
		trigger: trigger.Position(),
		index:   make(map[MessageID]int),
	}
	l.add(trigger)
	l.entries[0].beside[Newer] = besideTrigger
	return l
}

// add stores a message and returns its entry. A known message stays as it is.
func (l *line) add(m *Message) int {
	if at, known := l.index[m.ID]; known {
		return at
	}
	at := len(l.entries)
	l.entries = append(l.entries, entry{message: m, beside: [2]int{besideUnknown, besideUnknown}, node: notInGraph})
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

// learn adds what a walk from an entry found.
func (l *line) learn(from int, direction Direction, stretch *Stretch) {
	at := from
	for i := range stretch.Messages {
		m := &stretch.Messages[i]
		position := m.Position()
		if direction == Newer && position.Compare(l.trigger) >= 0 {
			l.stop(at, direction, besideTrigger)
			return
		}
		beyond := position.Compare(l.entries[at].message.Position())
		if direction == Older && beyond >= 0 || direction == Newer && beyond <= 0 {
			continue
		}
		next := l.add(m)
		l.entries[at].beside[direction] = next
		l.entries[next].beside[direction.opposite()] = at
		at = next
	}
	switch stretch.End {
	case EndChannel:
		l.stop(at, direction, besideChannelEnd)
	case EndUnreadable:
		l.stop(at, direction, besideUnreadable)
	case EndUnread:
		l.stop(at, direction, besideUnread)
	case EndNone:
		if at == from {
			l.stop(at, direction, besideUnread)
		}
	}
}

// stop records why nothing stands next to an entry, unless it is known what does.
func (l *line) stop(at int, direction Direction, why int) {
	if l.entries[at].beside[direction] == besideUnknown {
		l.entries[at].beside[direction] = why
	}
}

func (d Direction) opposite() Direction { return 1 - d }

// readBack reads the wanted number of messages before the trigger, or as many as there
// are.
func (l *line) readBack(wanted int) error {
	for at, held := 0, 0; held < wanted; {
		m := l.entries[at].message
		reading, err := l.read(Batch{Walks: []Walk{{
			Channel: m.Channel, From: m.Position(), Direction: Older, Limit: wanted - held,
		}}})
		if err != nil {
			return err
		}
		l.learn(at, Older, &reading.Stretches[0])
		for l.entries[at].beside[Older] >= 0 {
			at = l.entries[at].beside[Older]
			held++
		}
		if l.entries[at].beside[Older] != besideUnknown {
			break
		}
	}
	return nil
}

// walkFrom records a walk to make, unless it is known what stands beside the entry.
func (l *line) walkFrom(at int, direction Direction, limit int) {
	if l.entries[at].beside[direction] != besideUnknown {
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
	return nil
}

// gapBetween returns the gap from an entry to the one beside it.
func (l *line) gapBetween(at, next int, direction Direction) time.Duration {
	if direction == Older {
		at, next = next, at
	}
	return gap(l.entries[at].message, l.entries[next].message)
}

// apart returns the time between two messages.
func apart(a, b *Message) time.Duration { return a.Time.Sub(b.Time).Abs() }

// pointsAtStarter reports whether an entry is the message that Discord puts first in a
// thread to point at the thread's starter. It has no content of its own, so it is not judged.
func (l *line) pointsAtStarter(at int) bool {
	return at != 0 && slices.ContainsFunc(l.entries[at].message.References, func(r Reference) bool { return r.Kind == ReferenceStarter })
}
