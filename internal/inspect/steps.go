package inspect

import (
	"fmt"
	"slices"
	"strings"

	"heddle/graph/path"
	"heddle/store"
)

// Step is a tool call on the way to an answer.
type Step struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
	Result    string `json:"result"`
	// Branch is the separate conversation that the call started, with its answer last.
	Branch []Said `json:"branch,omitempty"`
}

// Said is a turn of a branch.
type Said struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// stepsOf returns the tool calls on the way to a response with their results.
func stepsOf(r *store.Response) []Step {
	var steps []Step
	var open []string // ids of the calls without a result so far, by their index among the steps; "" for others
	for _, turn := range r.Transcript {
		for _, part := range turn.Parts {
			switch part := part.(type) {
			case path.ToolCall:
				steps = append(steps, Step{Tool: part.Name, Arguments: part.Arguments, Branch: branchOf(r, part.ID)})
				open = append(open, part.ID)
			case path.ToolResult:
				if i := slices.Index(open, part.ID); i >= 0 && part.ID != "" {
					steps[i].Result, open[i] = path.Turn{Parts: part.Parts}.PlainText(), ""
				}
			}
		}
	}
	return steps
}

func branchOf(r *store.Response, call string) []Said {
	for _, b := range r.Branches {
		if b.Call != call {
			continue
		}
		var all []Said
		for _, turn := range b.Turns {
			all = append(all, Said{turn.Role.String(), turn.PlainText()})
		}
		return append(all, Said{path.RoleAssistant.String(), b.Text})
	}
	return nil
}

// writeSteps writes the steps to an answer as text.
func writeSteps(b *strings.Builder, indent string, steps []Step) {
	for _, s := range steps {
		fmt.Fprintf(b, "%s  called %s %s: %s\n", indent, oneLine(s.Tool), oneLine(s.Arguments), oneLine(s.Result))
		for _, said := range s.Branch {
			fmt.Fprintf(b, "%s    %s: %s\n", indent, said.Role, oneLine(said.Text))
		}
	}
}

// dotSteps draws the steps to an answer: each call with its result, and a branch as a
// subgraph.
func dotSteps(b *strings.Builder, answer string, steps []Step) {
	for i, s := range steps {
		call := fmt.Sprintf("%s call %d", answer, i+1)
		fmt.Fprintf(b, "    %s [shape=component, label=%s];\n", dotText(call), dotText(oneLine(s.Tool)+": "+oneLine(s.Result)))
		fmt.Fprintf(b, "    %s -> %s [style=dotted];\n", dotText(answer), dotText(call))
		if len(s.Branch) == 0 {
			continue
		}
		fmt.Fprintf(b, "    subgraph %s {\n      label=%s;\n", dotText("cluster_"+call), dotText(oneLine(s.Tool)))
		above := call
		for k, said := range s.Branch {
			name := fmt.Sprintf("%s turn %d", call, k+1)
			fmt.Fprintf(b, "      %s [label=%s];\n      %s -> %s;\n", dotText(name), dotText(said.Role+": "+oneLine(said.Text)), dotText(above), dotText(name))
			above = name
		}
		b.WriteString("    }\n")
	}
}
