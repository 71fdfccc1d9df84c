package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"heddle/graph/path"
)

// shortHash is the number of digits of a hash in texts, which is enough to look it up.
const shortHash = 12

// Text writes trees as text.
func Text(w io.Writer, trees []Tree) error {
	var b strings.Builder
	for _, t := range trees {
		answers, reused := t.count()
		fmt.Fprintf(&b, "%s: %d turns, %d answers, given again %d times, %d edits\n", t.Scope, len(t.Nodes), answers, reused, t.edits())
		b.WriteString(t.Use.text())
		inner := make(map[path.Hash]int) // depth below each node
		roots := t.rootsByHash()
		for _, n := range t.Nodes {
			if root, begins := roots[n.Parent]; begins && len(t.Roots) > 1 {
				b.WriteString("  " + root.title() + "\n")
				inner[root.Hash] = 2
				delete(roots, n.Parent)
			}
			depth := max(inner[n.Parent], 1)
			inner[n.PathHash] = depth
			if len(n.children) > 1 {
				inner[n.PathHash]++
			}
			indent := strings.Repeat("  ", depth)
			fmt.Fprintf(&b, "%s%s %s\n", indent, n.PathHash.String()[:shortHash], n.title())
			for i, a := range n.Answers {
				fmt.Fprintf(&b, "%s  %s\n%s    %s\n", indent, a.title(i, len(n.Answers)), indent, a.record())
				writeSteps(&b, indent+"  ", a.Steps)
			}
		}
		for _, v := range t.Versions {
			b.WriteString("  " + v.title() + "\n")
		}
	}
	if len(trees) == 0 {
		b.WriteString("Nothing is stored yet.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// JSON writes trees as JSON.
func JSON(w io.Writer, trees []Tree) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if trees == nil {
		trees = []Tree{}
	}
	return encoder.Encode(trees)
}

// DOT writes trees for Graphviz. Solid edges are the sequence of turns, and dashed
// edges are versions.
func DOT(w io.Writer, trees []Tree) error {
	var b strings.Builder
	b.WriteString("digraph heddle {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n")
	for i, t := range trees {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n", i, dotText(string(t.Scope)))
		known := make(map[path.Hash]bool)
		for _, root := range t.Roots {
			known[root.Hash] = true
			fmt.Fprintf(&b, "    %s [shape=plaintext, label=%s];\n", dotText(t.name(root.Hash.String())), dotText(root.title()))
		}
		for _, n := range t.Nodes {
			known[n.PathHash] = true
			fmt.Fprintf(&b, "    %s [label=%s];\n", dotText(t.name(n.PathHash.String())), dotText(n.title()))
			if known[n.Parent] {
				fmt.Fprintf(&b, "    %s -> %s;\n", dotText(t.name(n.Parent.String())), dotText(t.name(n.PathHash.String())))
			}
			for k, a := range n.Answers {
				fmt.Fprintf(&b, "    %s [shape=ellipse, label=%s];\n", dotText(t.name(a.ID.String())), dotText(a.title(k, len(n.Answers))))
				fmt.Fprintf(&b, "    %s -> %s;\n", dotText(t.name(n.PathHash.String())), dotText(t.name(a.ID.String())))
				dotSteps(&b, t.name(a.ID.String()), a.Steps)
			}
		}
		for _, v := range t.Versions {
			fmt.Fprintf(&b, "    %s -> %s [style=dashed, label=%s];\n", dotText(t.name(v.New.String())), dotText(t.name(v.Old.String())), dotText(v.Why))
		}
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (v *Version) title() string {
	newer, older := v.New.String()[:shortHash], v.Old.String()[:shortHash]
	if v.Why == whyEdit {
		return fmt.Sprintf("edit: answer %s took the place of %s, from turn %d on", newer, older, v.From+1)
	}
	how := map[string]string{
		whySqueezed: "without a stretch", whyRewritten: "as a message was edited", whyPrompt: "under another system prompt",
		whyTools: "with other tools or options", whyOthers: "with other messages",
	}
	return fmt.Sprintf("%s: answer %s goes on from %s %s, from turn %d on", v.Why, newer, older, how[v.Why], v.From+1)
}

// name returns a name for something with a hash. The name contains the scope, because
// the hash may occur in several.
func (t *Tree) name(hash string) string { return string(t.Scope) + " " + hash }

func (t *Tree) count() (answers, reused int) {
	for _, n := range t.Nodes {
		answers += len(n.Answers)
		for _, a := range n.Answers {
			reused += a.Reused
		}
	}
	return answers, reused
}

func (t *Tree) edits() int {
	n := 0
	for _, v := range t.Versions {
		if v.Why == whyEdit {
			n++
		}
	}
	return n
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
	title := "answer " + a.ID.String()[:shortHash]
	if of > 1 {
		title = fmt.Sprintf("answer %d/%d %s", i+1, of, a.ID.String()[:shortHash])
	}
	title += " " + oneLine(a.Model)
	if a.Temperature != nil {
		title += fmt.Sprintf(" at %g", *a.Temperature)
	}
	title += ", " + a.Finish
	if a.Sampled > 1 {
		title += fmt.Sprintf(", sampled %d times", a.Sampled)
	}
	if a.Reused > 0 {
		title += fmt.Sprintf(", given again %d times", a.Reused)
	}
	if a.Ratings != (tally{}) {
		title += fmt.Sprintf(", liked by %d, disliked by %d", a.Ratings.Good, a.Ratings.Bad)
	}
	return title + ": " + oneLine(a.Text)
}

// record returns when the answer was made and given again, and its hash.
func (a *Answer) record() string {
	const format = "2006-01-02 15:04:05"
	text := a.Created.UTC().Format(format) + " UTC, response_hash " + a.ResponseHash.String()[:shortHash]
	if len(a.ReusedAt) > 0 {
		text += ", last given again " + a.ReusedAt[len(a.ReusedAt)-1].UTC().Format(format)
	}
	return text
}

func (t *Tree) rootsByHash() map[path.Hash]Root {
	roots := make(map[path.Hash]Root)
	for _, root := range t.Roots {
		roots[root.Hash] = root
	}
	return roots
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
	return fmt.Sprintf("under %s: %s; options %s", r.Hash.String()[:shortHash], oneLine(tools), options)
}

// oneLine returns the beginning of a text as one line without control characters.
func oneLine(text string) string {
	const most = 60 // characters
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return utf8.RuneError
		default:
			return r
		}
	}, text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

// dotText quotes a text. Graphviz knows only the escapes of the quote and the
// backslash.
func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
