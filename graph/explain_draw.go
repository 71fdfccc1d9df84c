package graph

import (
	"fmt"
	"iter"
	"strings"
)

// labelWidth is the number of characters of a message's text that a drawing shows.
const labelWidth = 32

// label returns the text of a message's node.
func label(m *Message) string {
	return OneLine(m.Name, nameWidth) + ": " + OneLine(m.Says(), labelWidth)
}

// drawings returns the sections that are drawn. Of the messages that were not taken,
// only those that some way led to are.
func (g *Graph) drawings() []section {
	sections := g.sections()
	for i := range sections {
		if sections[i].name == exploredName {
			sections[i].nodes = ledTo(sections[i].nodes)
		}
	}
	return sections
}

// drawn returns the ids of the messages in a drawing.
func (g *Graph) drawn() map[MessageID]bool {
	drawn := map[MessageID]bool{g.Trigger.ID: true}
	for _, s := range g.drawings() {
		for i := range s.nodes {
			drawn[s.nodes[i].Message.ID] = true
		}
	}
	return drawn
}

// arrows returns the edges of a drawing, each with whether it is the first one that
// leads to a message outside the drawing.
func (g *Graph) arrows() iter.Seq2[*Edge, bool] {
	return func(yield func(*Edge, bool) bool) {
		drawn := g.drawn()
		for i := range g.Edges {
			e := &g.Edges[i]
			if e.Kind == EdgeVersion {
				continue
			}
			beyond := !drawn[e.To]
			drawn[e.To] = true
			if !yield(e, beyond) {
				return
			}
		}
	}
}

// edgeLabel returns the text of an edge.
func edgeLabel(e *Edge) string {
	if e.Kind == EdgeTemporal {
		return Span(e.Gap)
	}
	if e.Reference == ReferenceInferred {
		return Percent(e.Probability)
	}
	if e.State != ReferenceResolved {
		return e.Reference.String() + ", " + e.State.String()
	}
	return e.Reference.String()
}

// explainMermaid draws a Mermaid flowchart. Arrows are references, lines join
// neighbours.
func (g *Graph) explainMermaid() string {
	var b strings.Builder
	b.WriteString("flowchart BT\n")
	fmt.Fprintf(&b, "  m%s([\"%s\"]):::trigger\n", g.Trigger.ID, mermaidText(label(&g.Trigger)))
	for _, s := range g.drawings() {
		if len(s.nodes) == 0 {
			continue
		}
		fmt.Fprintf(&b, "  subgraph %s [\"%s\"]\n", s.name, s.title)
		for i := range s.nodes {
			m := s.nodes[i].Message
			fmt.Fprintf(&b, "    m%s[\"%s\"]\n", m.ID, mermaidText(label(m)))
		}
		b.WriteString("  end\n")
	}
	for e, beyond := range g.arrows() {
		if beyond {
			fmt.Fprintf(&b, "  m%s[\"%s\"]:::gone\n", e.To, e.State)
		}
		arrow := "-->"
		if e.Kind == EdgeTemporal {
			arrow = "-.-"
		}
		fmt.Fprintf(&b, "  m%s %s|\"%s\"| m%s\n", e.From, arrow, mermaidText(edgeLabel(e)), e.To)
	}
	b.WriteString("  classDef trigger stroke-width:3px\n  classDef gone stroke-dasharray:4\n")
	return b.String()
}

// mermaidText escapes a text for Mermaid: every character that could have a meaning
// there is written as its number.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\"#&;<>`\\|[](){}*_~%", r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// explainDOT draws a Graphviz digraph. Arrows are references, dashed lines join
// neighbours.
func (g *Graph) explainDOT() string {
	var b strings.Builder
	b.WriteString("digraph heddle {\n  rankdir=BT;\n  node [shape=box];\n")
	fmt.Fprintf(&b, "  %q [label=%s, penwidth=3];\n", g.Trigger.ID.String(), dotText(label(&g.Trigger)))
	for _, s := range g.drawings() {
		if len(s.nodes) == 0 {
			continue
		}
		fmt.Fprintf(&b, "  subgraph \"cluster_%s\" {\n    label=%s;\n", s.name, dotText(s.title))
		for i := range s.nodes {
			m := s.nodes[i].Message
			fmt.Fprintf(&b, "    %q [label=%s];\n", m.ID.String(), dotText(label(m)))
		}
		b.WriteString("  }\n")
	}
	for e, beyond := range g.arrows() {
		if beyond {
			fmt.Fprintf(&b, "  %q [label=%s, style=dashed];\n", e.To.String(), dotText(e.State.String()))
		}
		style := ""
		if e.Kind == EdgeTemporal {
			style = ", style=dashed, dir=none"
		}
		fmt.Fprintf(&b, "  %q -> %q [label=%s%s];\n", e.From.String(), e.To.String(), dotText(edgeLabel(e)), style)
	}
	b.WriteString("}\n")
	return b.String()
}

// dotText quotes a text for Graphviz, which knows no escapes but those of the quote and
// the backslash.
func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
