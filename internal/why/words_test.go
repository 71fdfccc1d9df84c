package why_test

import (
	"context"
	"testing"
	"time"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/why"
)

// TestTheDecidingReasonComesFirst writes a message of cyd's with several reasons, and reads the
// first one in words.
func TestTheDecidingReasonComesFirst(t *testing.T) {
	seed := graph.Reason{Kind: graph.ReasonSeed, Probability: 1}
	near := graph.Reason{Kind: graph.ReasonTemporal, From: 1, Gap: time.Minute, Probability: 1}
	lineage := graph.Reason{Kind: graph.ReasonLineage, From: 3, Probability: 1}
	reply := graph.Reason{Kind: graph.ReasonReference, Reference: graph.ReferenceReply, From: 1, Probability: 1}
	replies := graph.Reason{Kind: graph.ReasonAnswer, Reference: graph.ReferenceReply, From: 1, Probability: 1}
	link := func(kind graph.ReasonKind) graph.Reason {
		return graph.Reason{Kind: kind, Reference: graph.ReferenceLink, From: 1, Probability: 1}
	}
	inferred := func(kind graph.ReasonKind, from graph.MessageID, p float64) graph.Reason {
		return graph.Reason{Kind: kind, Reference: graph.ReferenceInferred, From: from, Probability: p}
	}
	for _, c := range []struct {
		want    string
		reasons []graph.Reason
	}{
		{"among the newest", []graph.Reason{seed}},
		{"ada replies to it", []graph.Reason{seed, inferred(graph.ReasonReference, 2, .9), reply, lineage}},
		{"replies to ada", []graph.Reason{seed, replies}},
		{"ada links to it", []graph.Reason{seed, inferred(graph.ReasonReference, 2, .9), link(graph.ReasonReference)}},
		{"links to ada", []graph.Reason{seed, link(graph.ReasonAnswer)}},
		{"from an earlier question of this conversation", []graph.Reason{near, inferred(graph.ReasonReference, 1, .9), lineage}},
		{"the question surely answers it", []graph.Reason{seed, inferred(graph.ReasonReference, 9, .9)}},
		{"ada likely answers it", []graph.Reason{inferred(graph.ReasonReference, 2, .5), inferred(graph.ReasonReference, 1, .6)}},
		{"likely answers ada", []graph.Reason{inferred(graph.ReasonAnswer, 1, .6)}},
		{"likely continues cyd", []graph.Reason{inferred(graph.ReasonAnswer, 2, .5)}},
		{"among the newest", []graph.Reason{seed, inferred(graph.ReasonReference, 1, .04)}},
		{"perhaps belongs with ada", []graph.Reason{inferred(graph.ReasonReference, 1, .04)}},
		{"next to ada, 1 minute apart", []graph.Reason{inferred(graph.ReasonAnswer, 1, 0), near}},
		{"another message replies to it", []graph.Reason{{Kind: graph.ReasonReference, From: 77, Probability: 1}}},
	} {
		name := func(id graph.MessageID, author graph.UserID, name string) graph.Message {
			return graph.Message{ID: id, Author: author, Name: name}
		}
		n := graph.Node{Message: new(name(4, 30, "cyd")), Reasons: c.reasons}
		g := &graph.Graph{
			Trigger: name(9, 10, "ada"), Background: []graph.Node{{Message: new(name(2, 30, "cyd"))}},
			Conversation: []graph.Node{{Message: new(name(1, 10, "ada"))}, {Message: new(name(3, 1, "heddle"))}, n},
		}
		because := why.Of(t.Context(), g, &path.Built{}, "", conversation.Settings{}).Graph.Conversation[2].Reasons
		if got := because[0].Text; got != c.want {
			t.Errorf("%v: %q, want %q", c.reasons, got, c.want)
		}
		for _, r := range because[1:] {
			if r.Reference == graph.ReferenceInferred.String() && r.Probability < .1 {
				t.Errorf("%v: a link with the probability %.2f is told, want none below 0.1", c.reasons, r.Probability)
			}
		}
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
