package graph

import (
	"fmt"
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
	memory  *workspace
	walks   []Walk // to be made
	walkers []int  // entries that the walks start from
}

// entry is a message that was read.
type entry struct {
	message *Message
	// beside holds, by Direction, the entry next to this one, or the reason why there
	// is none.
	beside [2]int
	// node is the index of its node in the graph; notInGraph if it has none.
	node int
	// pointer marks a message that only points at a thread's starter.
	pointer bool
	// considered marks a message that was judged: explored for an affinity, or the target
	// of a way that was not taken.
	considered bool
	// number is the index among the explored messages, and followed reports whether the
	// references were followed. Both are used only with an affinity.
	number   int
	followed bool
	// probability is 1 for what is in the graph, unless an affinity estimates it.
	probability float64
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

func newLine(source Source, trigger *Message, options Options, memory *workspace) *line {
	l := &line{
		source:  source,
		options: options,
		trigger: trigger.Position(),
		entries: memory.entries[:0],
		index:   memory.index,
		memory:  memory,
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
	l.memory.entries = l.entries
	l.index[m.ID] = at
	for _, part := range m.Parts {
		l.index[part] = at
	}
	return at
}

// read asks the source, and fails unless it answers the whole batch.
func (l *line) read(batch Batch) (Reading, error) {
	if len(batch.Lookups) == 0 && len(batch.Walks) == 0 {
		return Reading{}, nil
	}
	reading, err := l.source.Read(batch)
	if err != nil {
		return Reading{}, fmt.Errorf("read messages: %w", err)
	}
	if len(reading.Found) != len(batch.Lookups) || len(reading.Stretches) != len(batch.Walks) {
		return Reading{}, fmt.Errorf("the source answered %d of %d lookups and %d of %d walks",
			len(reading.Found), len(batch.Lookups), len(reading.Stretches), len(batch.Walks))
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
		if m.System || direction == Older && beyond >= 0 || direction == Newer && beyond <= 0 {
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
