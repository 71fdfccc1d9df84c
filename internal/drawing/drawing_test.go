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
	drawn := drawing.Of(&graph.Graph{}, &built, drawing.Settings{})
	for i, want := range []string{"hello", "[sticker: knot]", "[notes.txt]\nmilk", "[loom.zip]", "[a picture]", `[search {"words":"loom"}]`, "nothing"} {
		if got := drawn.Path.Turns[i].Text; got != want {
			t.Errorf("turn %d says %q, want %q", i, got, want)
		}
	}
}
