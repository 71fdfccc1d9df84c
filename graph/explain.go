package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Format is a format of an explanation.
type Format string

// The formats. All of them contain what people wrote, so they are only for people who
// may read it.
const (
	FormatText    Format = "text"    // for people
	FormatJSON    Format = "json"    // for programs
	FormatMermaid Format = "mermaid" // a drawing, for Markdown
	FormatDOT     Format = "dot"     // a drawing, for Graphviz
)

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case FormatText, FormatJSON, FormatMermaid, FormatDOT:
		return f, nil
	}
	return "", fmt.Errorf("%q is no format: take text, json, mermaid or dot", name)
}

// Explain describes what is in the graph and why, and where walking ended. It writes
// text for an unknown format.
func (g *Graph) Explain(format Format) string {
	switch format {
	case FormatJSON:
		return g.explainJSON()
	case FormatMermaid:
		return g.explainMermaid()
	case FormatDOT:
		return g.explainDOT()
	case FormatText:
	}
	return g.explainText()
}

const exploredName = "explored"

// sections returns a graph's messages, grouped by what became of them.
func (g *Graph) sections() []section {
	return []section{
		{name: "conversation", title: "Conversation", nodes: g.Conversation},
		{name: "background", title: "Background, from other talks", nodes: g.Background},
		{name: exploredName, title: "Seen and not taken", nodes: g.Explored},
	}
}

// ledTo returns the nodes that some way led to.
func ledTo(nodes []Node) []Node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n Node) bool { return len(n.Reasons) == 0 })
}

// Likeliest returns the nodes with the highest probability, at most most of them, in
// their order. Of equals it takes the newest.
func Likeliest(nodes []Node, most int) []Node {
	if len(nodes) <= most {
		return nodes
	}
	sorted := slices.Clone(nodes)
	slices.Reverse(sorted)
	slices.SortStableFunc(sorted, func(a, b Node) int { return cmp.Compare(b.Probability, a.Probability) })
	sorted = sorted[:most]
	slices.SortFunc(sorted, func(a, b Node) int { return a.Message.Position().Compare(b.Message.Position()) })
	return sorted
}

type section struct {
	name, title string
	nodes       []Node
}

// OneLine returns text as one line of at most size characters, without line breaks,
// control characters, or characters that change the writing direction.
func OneLine(text string, size int) string {
	var b strings.Builder
	length, space := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			space = length > 0
			continue
		case unicode.Is(unicode.Cf, r) && r != '\u200d':
			continue
		}
		if length+1 >= size {
			b.WriteString("…")
			return b.String()
		}
		if space {
			b.WriteByte(' ')
			length++
		}
		b.WriteRune(r)
		length++
		space = false
	}
	return b.String()
}

// Span formats a duration in its two largest units.
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	units := []struct {
		size time.Duration
		name string
	}{{day, " d"}, {time.Hour, " h"}, {time.Minute, " min"}, {time.Second, " s"}}
	for i, unit := range units {
		if d < unit.size {
			continue
		}
		whole := strconv.FormatInt(int64(d/unit.size), 10) + unit.name
		if i+1 < len(units) {
			if rest := d % unit.size / units[i+1].size; rest > 0 {
				return whole + " " + strconv.FormatInt(int64(rest), 10) + units[i+1].name
			}
		}
		return whole
	}
	if d > 0 {
		return "under 1 s"
	}
	return "0 s"
}

// Percent formats a probability.
func Percent(p float64) string { return strconv.Itoa(int(p*100+0.5)) + " %" }

// Apart returns a name as it stands in a sentence. One that is written from right to left
// is set apart, or it would change places with the words around it.
func Apart(name string) string {
	backwards := func(r rune) bool {
		return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Nko, unicode.Syriac, unicode.Thaana)
	}
	if !strings.ContainsFunc(name, backwards) {
		return name
	}
	const begin, end = "\u2068", "\u2069" // first strong isolate, pop directional isolate
	return begin + name + end
}
