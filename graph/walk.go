package graph

import "time"

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
