package why_test

import (
	"maps"
	"testing"
	"time"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/why"
)

func TestEveryTalkHasALaneOfItsOwn(t *testing.T) {
	said := func(minute int, text string) graph.Node {
		at := time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)
		return graph.Node{Message: &graph.Message{ID: graph.FirstMessageID(at), Time: at, Author: graph.UserID(minute%3 + 1), Text: text}}
	}
	g := &graph.Graph{
		Trigger:      *said(30, "what about the printer?").Message,
		Conversation: []graph.Node{said(2, "printer jammed"), said(12, "printer again")},
		Background:   []graph.Node{said(3, "bread is flat"), said(9, "more bread flour")},
		Explored:     []graph.Node{said(1, "walking on saturday"), said(5, "nothing"), said(6, "saturday walking boots"), said(20, "tomatoes yellow"), said(21, "yellow tomatoes leaves")},
	}
	want := map[string]why.Lane{
		"printer jammed": {}, "printer again": {}, "what about the printer?": {},
		"walking on saturday": {1, 1}, "saturday walking boots": {1, 1}, "bread is flat": {2, 2}, "more bread flour": {2, 2},
		"tomatoes yellow": {3, 1}, "yellow tomatoes leaves": {3, 1}, // the walk is over, so its column is free
	}
	got := map[string]why.Lane{}
	lanes := why.Of(t.Context(), g, &path.Built{}, "", conversation.Settings{Expand: parting()}).Lanes
	for _, nodes := range [][]graph.Node{g.Conversation, g.Background, g.Explored, {{Message: &g.Trigger}}} {
		for i := range nodes {
			if lane, ok := lanes[nodes[i].Message.ID]; ok {
				got[nodes[i].Message.Text] = lane
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the lanes are %v, want %v", got, want)
	}
}
