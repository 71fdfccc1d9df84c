package dashboard

import (
	"fmt"
	"unicode/utf8"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/drawing"
	"heddle/internal/explain"
)

// veiled draws an answer without the texts and the names of people.
func veiled(g *graph.Graph, built *path.Built, tail string, settings drawing.Settings) drawing.Drawing {
	people := &crowd{numbers: map[graph.UserID]int{}}
	covered := *g
	covered.Trigger = people.cover(g.Trigger)
	covered.Conversation, covered.Background, covered.Explored = people.all(g.Conversation), people.all(g.Background), people.all(g.Explored)
	drawn := drawing.Of(&covered, built, tail, settings)
	// Separating talks needs the texts, so it uses the original graph.
	drawn.Lanes = explain.Lanes(g, settings.Expand)
	drawn.Path.Recorded = true
	names := map[graph.MessageID]string{}
	for _, m := range built.Messages {
		names[m.ID] = people.name(m.Author)
	}
	for i := range drawn.Path.Turns {
		t := &drawn.Path.Turns[i]
		t.Text = length(t.Text)
		if t.Speaker != "" {
			t.Speaker = names[t.Message]
		}
	}
	if drawn.Path.Tail != nil {
		drawn.Path.Tail.Text = length(tail)
	}
	return drawn
}

// length returns the replacement for a text.
func length(text string) string {
	return fmt.Sprintf("(%d characters)", utf8.RuneCountInString(text))
}

// crowd numbers people by their first appearance.
type crowd struct{ numbers map[graph.UserID]int }

func (c *crowd) name(id graph.UserID) string {
	if _, known := c.numbers[id]; !known {
		c.numbers[id] = len(c.numbers) + 1
	}
	return fmt.Sprintf("person %d", c.numbers[id])
}

func (c *crowd) all(nodes []graph.Node) []graph.Node {
	covered := make([]graph.Node, len(nodes))
	for i, n := range nodes {
		n.Message = new(c.cover(*n.Message))
		covered[i] = n
	}
	return covered
}

// cover returns a message without its text, names and files.
func (c *crowd) cover(m graph.Message) graph.Message {
	m.Text, m.Added, m.Attachments = length(m.Text), 0, nil
	m.Name = c.name(m.Author)
	if m.Origin == graph.OriginSelf {
		m.Name = "heddle"
	}
	return m
}
