package graph

import "slices"

// Recent returns the messages before a trigger that an expansion has its affinity judge
// together with the trigger, oldest first. They are judged in the same window as long as
// no reference leads to the message right before them. An error is the source's.
func Recent(source Source, trigger Message, options Options) ([]*Message, error) {
	memory := options.Scratch.take()
	defer options.Scratch.put(memory)
	l := newLine(source, &trigger, options.bounded(), memory)
	if err := l.readBack(l.options.recent()); err != nil {
		return nil, err
	}
	var recent []*Message
	for at := l.entries[0].beside[Older]; at >= 0 && len(recent) < l.options.recent(); at = l.entries[at].beside[Older] {
		if m := l.entries[at].message; !m.pointsAtStarter() {
			recent = append(recent, m)
		}
	}
	slices.Reverse(recent)
	return recent, nil
}
