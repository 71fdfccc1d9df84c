package evaluation

import (
	"fmt"

	"heddle/graph"
)

// logSource is a graph.Source over the messages of a log before a trigger. The message
// at index i has the id MessageID(i).
type logSource struct{ before []graph.Message }

// Read implements graph.Source.
func (s logSource) Read(batch graph.Batch) (graph.Reading, error) {
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

// Heddle is heddle's own strategy.
type Heddle struct{ Options graph.Options }

// Expand returns the graph of a trigger.
func (h Heddle) Expand(sight Sight) (*graph.Graph, error) {
	g, err := graph.Expand(logSource{sight.Before}, sight.Trigger, h.Options)
	if err != nil {
		return nil, fmt.Errorf("expand: %w", err)
	}
	return g, nil
}

// Select chooses what Expand does.
func (h Heddle) Select(sight Sight) (Chosen, error) {
	g, err := h.Expand(sight)
	if err != nil {
		return Chosen{}, err
	}
	return ChosenOf(g), nil
}

// conversation is the strategy of taking only what another chooses for the conversation.
type conversation struct{ Strategy }

// Select takes the conversation.
func (c conversation) Select(sight Sight) (Chosen, error) {
	chosen, err := c.Strategy.Select(sight)
	return Chosen{Conversation: chosen.Conversation, Parent: chosen.Parent}, err
}

// ChosenOf returns what is sent of a graph.
func ChosenOf(g *graph.Graph) Chosen {
	chosen := Chosen{Conversation: indices(g.Conversation), Background: indices(g.Background), Recalled: indices(g.Recalled), Parent: parentIn(g)}
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background, g.Recalled} {
		for i := range nodes {
			chosen.Certainty = append(chosen.Certainty, nodes[i].Probability)
			chosen.Needed = append(chosen.Needed, nodes[i].Needed)
		}
	}
	return chosen
}

func indices(nodes []graph.Node) []int {
	list := make([]int, len(nodes))
	for i := range nodes {
		list[i] = Index(nodes[i].Message.ID)
	}
	return list
}

// parentIn returns the index of the message that the trigger most likely answers, or -1
// if it most likely answers none.
func parentIn(g *graph.Graph) int {
	best, parent, none := 0.0, -1, 1.0
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.From != g.Trigger.ID || e.Kind != graph.EdgeReference || e.To == 0 || e.Reference == graph.ReferenceAddress {
			continue
		}
		none -= e.Probability
		if e.Probability > best {
			best, parent = e.Probability, Index(e.To)
		}
	}
	if best < none {
		return -1
	}
	return parent
}
