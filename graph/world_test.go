package graph_test

import (
	"slices"

	"heddle/graph"
)

// world holds channels in memory.
type world struct {
	raw      []graph.Message
	channels map[graph.ChannelID][]graph.Message // folded, by position
	byID     map[graph.MessageID]graph.Message   // parts included
	gone     map[graph.MessageID]graph.ReferenceState
	ends     map[graph.ChannelID]worldEnd
}

// worldEnd says that what is older than before is not served, and why.
type worldEnd struct {
	before graph.MessageID
	end    graph.End
}

func newWorld() *world {
	return &world{
		channels: map[graph.ChannelID][]graph.Message{},
		byID:     map[graph.MessageID]graph.Message{},
		gone:     map[graph.MessageID]graph.ReferenceState{},
		ends:     map[graph.ChannelID]worldEnd{},
	}
}

func (w *world) add(m graph.Message) { w.raw = append(w.raw, m) }

// fold makes the channels from what was added.
func (w *world) fold() {
	for _, m := range graph.Fold(w.raw) {
		if !m.System { // which a lookup finds and a walk does not
			w.channels[m.Channel] = append(w.channels[m.Channel], m)
		}
		w.byID[m.ID] = m
		for _, part := range m.Parts {
			w.byID[part] = m
		}
	}
}

// source serves the world. Drip bounds how much one walk gives at a time, 0 for no bound.
type source struct {
	*world
	drip    int
	batches int
}

func (s *source) Read(batch graph.Batch) (graph.Reading, error) {
	s.batches++
	reading := graph.Reading{
		Found:     make([]graph.Found, len(batch.Lookups)),
		Stretches: make([]graph.Stretch, len(batch.Walks)),
	}
	for i, l := range batch.Lookups {
		reading.Found[i] = s.look(l)
	}
	for i, w := range batch.Walks {
		reading.Stretches[i] = s.walk(w)
	}
	return reading, nil
}

func (s *source) look(l graph.Lookup) graph.Found {
	if m, held := s.byID[l.Message]; held && m.Channel == l.Channel {
		return graph.Found{State: graph.ReferenceResolved, Message: m}
	}
	if state, known := s.gone[l.Message]; known {
		return graph.Found{State: state}
	}
	return graph.Found{State: graph.ReferenceDeleted}
}

func (s *source) walk(w graph.Walk) graph.Stretch {
	channel := s.channels[w.Channel]
	at, found := slices.BinarySearchFunc(channel, w.From, func(m graph.Message, p graph.Position) int {
		return m.Position().Compare(p)
	})
	limit := w.Limit
	if s.drip > 0 {
		limit = min(limit, s.drip)
	}
	if w.Direction == graph.Newer {
		if found {
			at++
		}
		if stop := at + limit; stop <= len(channel) {
			return graph.Stretch{Messages: channel[at:stop]}
		}
		return graph.Stretch{Messages: channel[at:], End: graph.EndChannel}
	}
	begin, end := 0, graph.EndChannel
	if e, bounded := s.ends[w.Channel]; bounded {
		end = e.end
		begin = slices.IndexFunc(channel, func(m graph.Message) bool { return m.ID >= e.before })
	}
	if at-limit >= begin {
		begin, end = at-limit, graph.EndNone
	}
	stretch := graph.Stretch{Messages: make([]graph.Message, 0, at-begin), End: end}
	for i := at - 1; i >= begin; i-- {
		stretch.Messages = append(stretch.Messages, channel[i])
	}
	return stretch
}
