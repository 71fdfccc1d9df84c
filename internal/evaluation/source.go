package evaluation

import (
	"fmt"

	"heddle/graph"
)

// logSource holds the messages of a log before a trigger. The message
// at index i has the id MessageID(i).
type logSource struct{ before []graph.Message }

// read is a graph.Source.
func (s logSource) read(batch graph.Batch) (graph.Reading, error) {
	reading := graph.Reading{
		Found:     make([]graph.Found, len(batch.Lookups)),
		Stretches: make([]graph.Stretch, len(batch.Walks)),
	}
	for i, lookup := range batch.Lookups {
		at := Index(lookup.Message)
		if at < 0 || at >= len(s.before) || s.before[at].System {
			reading.Found[i].State = graph.ReferenceDeleted
			continue
		}
		reading.Found[i] = graph.Found{State: graph.ReferenceResolved, Message: s.before[at]}
	}
	for i := range batch.Walks {
		reading.Stretches[i] = s.walk(&batch.Walks[i])
	}
	return reading, nil
}

// walk returns the next messages in one direction without system messages. It has all
// of them up to the end of the log, or as many as the limit.
func (s logSource) walk(walk *graph.Walk) graph.Stretch {
	stretch := graph.Stretch{Messages: make([]graph.Message, 0, min(walk.Limit, len(s.before)))}
	step := -1
	if walk.Direction == graph.Newer {
		step = 1
	}
	for at := Index(walk.From.Message) + step; at >= 0 && at < len(s.before); at += step {
		if s.before[at].System {
			continue
		}
		if len(stretch.Messages) == walk.Limit {
			return stretch
		}
		stretch.Messages = append(stretch.Messages, s.before[at])
	}
	if len(stretch.Messages) < walk.Limit {
		stretch.End = graph.EndChannel
	}
	return stretch
}

// Heddle is heddle's own strategy: it chooses what graph.Expand does.
func Heddle(o graph.Options) Strategy {
	return func(sight Sight) (Chosen, error) {
		g, err := graph.Expand(logSource{sight.Before}.read, sight.Trigger, o)
		if err != nil {
			return Chosen{}, fmt.Errorf("expand: %w", err)
		}
		return ChosenOf(g), nil
	}
}

// conversation takes only what heddle chooses for the conversation.
func conversation(o graph.Options) Strategy {
	return func(sight Sight) (Chosen, error) {
		chosen, err := Heddle(o)(sight)
		return Chosen{Conversation: chosen.Conversation}, err
	}
}

// ChosenOf returns what is sent of a graph.
func ChosenOf(g *graph.Graph) Chosen {
	return Chosen{Conversation: indices(g.Conversation), Background: indices(g.Background), Recalled: indices(g.Recalled), Graph: g}
}

func indices(nodes []graph.Node) []int {
	list := make([]int, len(nodes))
	for i := range nodes {
		list[i] = Index(nodes[i].Message.ID)
	}
	return list
}
