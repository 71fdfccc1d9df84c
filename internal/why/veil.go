package why

import (
	"context"
	"fmt"
	"unicode/utf8"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/path"
)

// Veiled returns what Of returns, with lengths in place of what people wrote, and numbers
// in place of their names.
func Veiled(ctx context.Context, g *graph.Graph, built *path.Built, tail string, by conversation.Settings) Answer {
	people := crowd{}
	covered := *g
	covered.Trigger = people.cover(g.Trigger)
	covered.Conversation, covered.Background = people.all(g.Conversation), people.all(g.Background)
	covered.Recalled, covered.Explored = people.all(g.Recalled), people.all(g.Explored)
	a := Of(ctx, &covered, built, tail, by)
	a.Lanes = lanesOf(g, by.Expand) // separating talks needs the texts
	names := map[graph.MessageID]string{}
	for i := range built.Messages {
		names[built.Messages[i].ID] = people.name(built.Messages[i].Author)
	}
	for i := range a.Path.Turns {
		t := &a.Path.Turns[i]
		t.Text = length(t.Text)
		if t.Speaker != "" {
			t.Speaker = names[t.Message]
		}
	}
	if a.Path.Tail != nil {
		a.Path.Tail.Text = length(tail)
	}
	return a
}

// length returns the replacement for a text.
func length(text string) string {
	return fmt.Sprintf("(%d characters)", utf8.RuneCountInString(text))
}

// crowd numbers people by their first appearance.
type crowd map[graph.UserID]int

func (c crowd) name(id graph.UserID) string {
	if _, known := c[id]; !known {
		c[id] = len(c) + 1
	}
	return fmt.Sprintf("person %d", c[id])
}

func (c crowd) all(nodes []graph.Node) []graph.Node {
	covered := make([]graph.Node, len(nodes))
	for i, n := range nodes {
		n.Message = new(c.cover(*n.Message))
		covered[i] = n
	}
	return covered
}

// cover returns a message without its text, names and files.
func (c crowd) cover(m graph.Message) graph.Message {
	m.Text, m.Added, m.Attachments = length(m.Text), 0, nil
	m.Name = c.name(m.Author)
	if m.Origin == graph.OriginSelf {
		m.Name = "heddle"
	}
	return m
}
