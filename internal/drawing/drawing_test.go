package drawing_test

import (
	"testing"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/drawing"
)

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
	}
	drawn := drawing.Of(&graph.Graph{}, &built, "It is Sunday.", drawing.Settings{Count: func(path.Turn) int { return 2 }})
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
