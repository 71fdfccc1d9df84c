package why_test

import (
	"context"
	"testing"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/why"
)

// TestReasonsCallMessagesByTheirAuthors describes a message with two reasons.
func TestReasonsCallMessagesByTheirAuthors(t *testing.T) {
	reply := graph.Reason{Kind: graph.ReasonAnswer, Reference: graph.ReferenceReply, From: 1, Probability: 1}
	g := &graph.Graph{Conversation: []graph.Node{
		{Message: &graph.Message{ID: 1, Author: 10, Name: "ada"}},
		{Message: &graph.Message{ID: 4, Author: 30, Name: "cyd"}, Reasons: []graph.Reason{{Kind: graph.ReasonSeed}, reply}},
	}}
	told := why.Of(t.Context(), g, &path.Built{}, "", conversation.Settings{}).Graph.Conversation[1].Reasons
	if len(told) != 2 || told[0].Text != "replies to ada" || told[1].Text != "among the newest" {
		t.Errorf("the reasons are %+v, want the reply first", told)
	}
}

// TestEveryTurnIsDrawn checks that turns with any kind of part are drawn with text.
func TestEveryTurnIsDrawn(t *testing.T) {
	var built path.Built
	for _, part := range []path.Part{
		path.Text("hello"), path.Note("[sticker: knot]"),
		path.File{Name: "notes.txt", Text: "milk"},
		path.File{Name: "loom.zip"},
		path.Image{},
		path.ToolCall{Name: "search", Arguments: `{"words":"loom"}`},
		path.ToolResult{Parts: []path.Part{path.Text("nothing")}},
	} {
		built.Path.Turns = append(built.Path.Turns, path.Turn{Role: path.RoleUser, Parts: []path.Part{part}})
		built.TurnMessages = append(built.TurnMessages, 0)
	}
	drawn := why.Of(t.Context(), &graph.Graph{}, &built, "It is Sunday.", conversation.Settings{Count: func(context.Context, path.Turn) int { return 2 }})
	for i, want := range []string{"hello", "[sticker: knot]", "[notes.txt]\nmilk", "[loom.zip]", "[a picture]", `[search {"words":"loom"}]`, "nothing"} {
		if got := drawn.Path.Turns[i].Text; got != want {
			t.Errorf("turn %d says %q, want %q", i, got, want)
		}
	}
	if tail := drawn.Path.Tail; tail == nil || tail.Text != "It is Sunday." {
		t.Errorf("the tail is %v, want it drawn with its text", tail)
	}
	if want := 2 * (len(built.Path.Turns) + 1); drawn.Path.Tokens != want {
		t.Errorf("the request has %d tokens, want %d, with those of the tail", drawn.Path.Tokens, want)
	}
}
