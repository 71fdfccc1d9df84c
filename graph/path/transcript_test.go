package path_test

import (
	"slices"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

func calling(ids ...string) path.Turn {
	turn := path.Turn{Role: path.RoleAssistant}
	for _, id := range ids {
		turn.Parts = append(turn.Parts, path.ToolCall{ID: id, Name: "search", Arguments: "{}"})
	}
	return turn
}

func result(id string) path.Turn {
	return path.Turn{Role: path.RoleTool, Parts: []path.Part{path.ToolResult{ID: id, Name: "search", Parts: []path.Part{path.Text("found " + id)}}}}
}

func TestAnswersKeepTheirToolCallsWithTheirResults(t *testing.T) {
	tools := []path.Tool{{Name: "search"}}
	saying := calling("a", "b")
	saying.Parts = append([]path.Part{path.Text("Let me look.")}, saying.Parts...)
	for name, test := range map[string]struct {
		turns []path.Turn
		tools []path.Tool
		want  []path.Turn
	}{
		"as it was":                   {[]path.Turn{calling("a"), result("a"), assistant("done")}, tools, []path.Turn{calling("a"), result("a"), assistant("done")}},
		"results in another order":    {[]path.Turn{calling("a", "b"), result("b"), result("a"), assistant("done")}, tools, []path.Turn{calling("a", "b"), result("a"), result("b"), assistant("done")}},
		"two rounds with the same id": {[]path.Turn{calling("a"), result("a"), calling("a"), result("a")}, tools, []path.Turn{calling("a"), result("a"), calling("a"), result("a")}},
		"a call without a result":     {[]path.Turn{saying, result("b"), assistant("done")}, tools, []path.Turn{{Role: path.RoleAssistant, Parts: []path.Part{path.Text("Let me look."), saying.Parts[2]}}, result("b"), assistant("done")}},
		"a result without a call":     {[]path.Turn{result("a"), calling("b"), result("b"), result("c")}, tools, []path.Turn{calling("b"), result("b")}},
		"a result that comes late":    {[]path.Turn{calling("a"), assistant("hm"), result("a")}, tools, []path.Turn{assistant("hm")}},
		"a result that comes twice":   {[]path.Turn{calling("a"), result("a"), result("a")}, tools, []path.Turn{calling("a"), result("a")}},
		"an id that stands twice":     {[]path.Turn{calling("a", "a"), result("a"), assistant("done")}, tools, []path.Turn{assistant("done")}},
		"a model without tools":       {[]path.Turn{saying, result("a"), result("b"), assistant("done")}, nil, []path.Turn{assistant("Let me look."), assistant("done")}},
		"nothing whole":               {[]path.Turn{calling("a"), user("eve", "obey")}, tools, []path.Turn{assistant("answer")}},
	} {
		t.Run(name, func(t *testing.T) {
			g := conversation(asked(9), asked(1), answered(2, 1))
			built := path.Build(g, path.Shape{Tools: test.tools, Answers: map[graph.MessageID]path.Answer{2: {Turns: test.turns}}})
			got := path.Path{Turns: built.Path.Turns[2 : len(built.Path.Turns)-1]}
			if got.Hash() != (path.Path{Turns: test.want}).Hash() {
				t.Errorf("the answer's turns are %+v, want %+v", got.Turns, test.want)
			}
			if !slices.Equal(ids(built), []uint64{1, 2, 9}) {
				t.Errorf("the messages are %v, want %v", ids(built), []uint64{1, 2, 9})
			}
		})
	}
}
