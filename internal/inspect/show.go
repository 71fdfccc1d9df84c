package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/terminal"
	"heddle/store"
)

// short returns the beginning of a hash, which is enough to look it up.
func short(hash fmt.Stringer) string { return hash.String()[:12] }

// Show writes trees, or what matches in them, in the format json or text. The text of nothing is
// nothing.
func Show[T interface{ write(b *strings.Builder) }](w io.Writer, all []T, format, nothing string) error {
	if format == "json" {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(append([]T{}, all...)) // [] rather than null
	}
	var b strings.Builder
	for _, one := range all {
		one.write(&b)
	}
	if len(all) == 0 {
		b.WriteString(nothing)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes a tree. Nodes below a fork are indented.
func (t *Tree) write(b *strings.Builder) {
	answers, reused, edits := 0, 0, 0
	children := make(map[path.Hash]int)
	for _, n := range t.Nodes {
		children[n.Parent]++
		answers += len(n.Answers)
		for i := range n.Answers {
			reused += len(n.Answers[i].ReusedAt)
		}
	}
	for _, v := range t.Versions {
		if v.Why == whyEdit {
			edits++
		}
	}
	fmt.Fprintf(b, "%s: %s, %s, given again %s, %s\n", t.Scope,
		terminal.Count(len(t.Nodes), "turn"), terminal.Count(answers, "answer"), terminal.Count(reused, "time"), terminal.Count(edits, "edit"))
	roots := make(map[path.Hash]Root)
	for _, root := range t.Roots {
		roots[root.Hash] = root
	}
	inner := make(map[path.Hash]int) // depth below each node
	for _, n := range t.Nodes {
		if root, begins := roots[n.Parent]; begins && len(t.Roots) > 1 {
			b.WriteString("  " + root.title() + "\n")
			inner[root.Hash] = 2
			delete(roots, n.Parent)
		}
		depth := max(inner[n.Parent], 1)
		inner[n.PathHash] = depth
		if children[n.PathHash] > 1 {
			inner[n.PathHash]++
		}
		indent := strings.Repeat("  ", depth)
		fmt.Fprintf(b, "%s%s %s\n", indent, short(n.PathHash), n.title())
		for i := range n.Answers {
			a := &n.Answers[i]
			fmt.Fprintf(b, "%s  %s\n%s    %s\n", indent, a.title(i, len(n.Answers)), indent, a.record())
			for line := range strings.Lines(a.Tail) {
				fmt.Fprintf(b, "%s    read before it: %s\n", indent, oneLine(line))
			}
			writeSteps(b, indent+"  ", a.Steps)
		}
	}
	for _, v := range t.Versions {
		b.WriteString("  " + v.title() + "\n")
	}
}

func (n *Node) title() string {
	who := n.Role
	if n.Speaker != "" {
		who = n.Speaker
	}
	return oneLine(who) + ": " + oneLine(n.Text)
}

// title returns the line of the i-th of several answers to one path: its hash, how it
// was made and used, and how its text begins.
func (a *Answer) title(i, of int) string {
	title := "answer " + short(a.ID)
	if of > 1 {
		title = fmt.Sprintf("answer %d/%d %s", i+1, of, short(a.ID))
	}
	title += " " + oneLine(a.Model)
	if a.Temperature != nil {
		title += fmt.Sprintf(" at %g", *a.Temperature)
	}
	title += ", " + a.Finish
	if len(a.ReusedAt) > 0 {
		title += ", given again " + terminal.Count(len(a.ReusedAt), "time")
	}
	if a.Ratings != (tally{}) {
		title += fmt.Sprintf(", liked by %d, disliked by %d", a.Ratings.Good, a.Ratings.Bad)
	}
	return title + ": " + oneLine(a.Text)
}

// record returns when the answer was made and given again, and its hash.
func (a *Answer) record() string {
	const format = "2006-01-02 15:04:05"
	text := a.Created.UTC().Format(format) + " UTC, response_hash " + short(a.ResponseHash)
	if len(a.ReusedAt) > 0 {
		text += ", last given again " + a.ReusedAt[len(a.ReusedAt)-1].UTC().Format(format)
	}
	return text
}

// title returns a description of a root.
func (r Root) title() string {
	tools := "no tools"
	if len(r.Tools) > 0 {
		tools = strings.Join(r.Tools, ", ")
	}
	options, err := json.Marshal(r.Options)
	if err != nil { // options can always be encoded
		return ""
	}
	return fmt.Sprintf("under %s: %s; options %s", short(r.Hash), oneLine(tools), options)
}

// oneLine returns the beginning of a text as one line.
func oneLine(text string) string { return graph.OneLine(text, 60) }

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

func saidBy(turns []path.Turn) []Said {
	said := make([]Said, len(turns))
	for i, turn := range turns {
		said[i] = Said{turn.Role.String(), turn.PlainText()}
	}
	return said
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
		return append(saidBy(b.Turns), Said{path.RoleAssistant.String(), b.Text})
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
