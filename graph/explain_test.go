package graph_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/golden"
)

func TestExplanations(t *testing.T) {
	for _, name := range []string{"months-old", "lost", "thread", "own-parts", "forwards", "unread", "budget", "affinity-interleaved"} {
		s := readScenario(t, "testdata/"+name+".txt")
		g := s.expand(t, &source{world: s.world, order: inOrder})
		for _, format := range []graph.Format{graph.FormatText, graph.FormatJSON, graph.FormatMermaid, graph.FormatDOT} {
			t.Run(name+" as "+string(format), func(t *testing.T) {
				golden.Check(t, filepath.Join("testdata", "explain", name+"."+string(format)), g.Explain(format))
			})
		}
	}
}

func TestExplanationsCannotBeForged(t *testing.T) {
	g := &graph.Graph{Trigger: person(2, "x")}
	evil := person(1, "a\nConversation\n \"]; m2-->m3\u202e \\\" {}")
	evil.Name = "bob\n\x1b[31m"
	evil.Time = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	g.Conversation = []graph.Node{{Message: &evil, Probability: 1, Reasons: []graph.Reason{{}}}}
	for _, format := range []graph.Format{graph.FormatText, graph.FormatMermaid, graph.FormatDOT} {
		text := g.Explain(format)
		if strings.Contains(text, "\x1b") || strings.Contains(text, "\u202e") || strings.Count(text, "\nConversation\n") > 1 {
			t.Errorf("%s lets control characters through, want none in\n%q", format, text)
		}
	}
	if text := g.Explain(graph.FormatMermaid); strings.Contains(text, "\"];") || strings.Contains(text, "-->") {
		t.Errorf("Mermaid reads what was written:\n%s\nwant no %q in it and no %q in it", text, "\"];", "-->")
	}
	if text := g.Explain(graph.FormatDOT); !strings.Contains(text, `\\\" {`) {
		t.Errorf("DOT reads what was written:\n%s\nwant %q in it", text, `\\\" {`)
	}
	if !json.Valid([]byte(g.Explain(graph.FormatJSON))) {
		t.Error("not JSON")
	}
}

// A message that holds nothing but files is told by their names.
func TestExplanationsNameFiles(t *testing.T) {
	g := &graph.Graph{Trigger: person(2, "what is this?")}
	shown := person(1, "")
	shown.Attachments = []graph.Attachment{{Name: "loom.png"}, {Name: "plan.pdf"}}
	g.Conversation = []graph.Node{{Message: &shown, Probability: 1, Reasons: []graph.Reason{{}}}}
	for _, format := range []graph.Format{graph.FormatText, graph.FormatJSON, graph.FormatMermaid, graph.FormatDOT} {
		if text := g.Explain(format); !strings.Contains(text, "loom.png") || !strings.Contains(text, "plan.pdf") {
			t.Errorf("%s names no files:\n%s\nwant %q in it and %q in it", format, text, "loom.png", "plan.pdf")
		}
	}
}

// Names that are written from right to left do not change places with the words around
// them.
func TestNamesAreSetApart(t *testing.T) {
	for name, want := range map[string]string{"Ada": "Ada", "Zoë": "Zoë", "محمد": "\u2068محمد\u2069", "Bo שלום": "\u2068Bo שלום\u2069"} {
		if got := graph.Apart(name); got != want {
			t.Errorf("%s stands as %q, want %q", name, got, want)
		}
	}
	g := &graph.Graph{Trigger: person(3, "and?")}
	before, answer := person(1, "well"), person(2, "so")
	before.Name, answer.Name = "Ada", "محمد"
	answer.Author = before.Author + 1
	g.Conversation = []graph.Node{
		{Message: &before, Probability: 1, Reasons: []graph.Reason{{Kind: graph.ReasonReference, Reference: graph.ReferenceReply, From: 2}}},
		{Message: &answer, Probability: 1, Reasons: []graph.Reason{{}}},
	}
	if text := g.Explain(graph.FormatJSON); !strings.Contains(text, "\u2068محمد\u2069 replies to it") {
		t.Errorf("the name stands bare:\n%s\nwant %q in it", text, "\u2068محمد\u2069 replies to it")
	}
}

func TestParseFormat(t *testing.T) {
	if f, err := graph.ParseFormat("mermaid"); err != nil || f != graph.FormatMermaid {
		t.Errorf("%v, %v, want %v and no error", f, err, graph.FormatMermaid)
	}
	if _, err := graph.ParseFormat("svg"); err == nil || !strings.Contains(err.Error(), "text, json, mermaid or dot") {
		t.Errorf("%v, want an error and %q in it", err, "text, json, mermaid or dot")
	}
}
