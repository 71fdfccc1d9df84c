package graph

import "slices"

// Recent returns the messages before a trigger, oldest first, that an expansion lets
// its affinity judge together with the trigger. An expansion judges exactly this window
// unless a reference leads to the message right before it. Every error is one of the
// source.
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
