package explain_test

import (
	"maps"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/explain"
)

func TestEveryTalkHasALaneOfItsOwn(t *testing.T) {
	said := func(minute int, text string) graph.Node {
		at := time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)
		return graph.Node{Message: graph.Message{ID: graph.FirstMessageID(at), Time: at, Author: graph.UserID(minute%3 + 1), Text: text}}
	}
	g := &graph.Graph{
		Trigger:      said(30, "what about the printer?").Message,
		Conversation: []graph.Node{said(2, "printer jammed"), said(12, "printer again")},
		Background:   []graph.Node{said(3, "bread is flat"), said(9, "more bread flour")},
		Explored:     []graph.Node{said(1, "walking on saturday"), said(5, "nothing"), said(6, "saturday walking boots"), said(20, "tomatoes yellow"), said(21, "yellow tomatoes leaves")},
	}
	want := map[string]int{"printer jammed": 0, "printer again": 0, "what about the printer?": 0, "walking on saturday": 1, "saturday walking boots": 1, "bread is flat": 2, "more bread flour": 2, "nothing": explain.Loose, "tomatoes yellow": 1, "yellow tomatoes leaves": 1}
	got := map[string]int{}
	lanes := explain.Lanes(g, parting())
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background, g.Explored, {{Message: g.Trigger}}} {
		for i := range nodes {
			got[nodes[i].Message.Text] = lanes[nodes[i].Message.ID]
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the lanes are %v, want %v", got, want)
	}
}
