package graph_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heddle/internal/golden"

	"heddle/graph"
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
	g.Conversation = []graph.Node{{Message: evil, Probability: 1, Reasons: []graph.Reason{{}}}}
	for _, format := range []graph.Format{graph.FormatText, graph.FormatMermaid, graph.FormatDOT} {
		text := g.Explain(format)
		if strings.Contains(text, "\x1b") || strings.Contains(text, "\u202e") || strings.Count(text, "\nConversation\n") > 1 {
			t.Errorf("%s lets control characters through:\n%q", format, text)
		}
	}
	if text := g.Explain(graph.FormatMermaid); strings.Contains(text, "\"];") || strings.Contains(text, "-->") {
		t.Errorf("Mermaid reads what was written:\n%s", text)
	}
	if text := g.Explain(graph.FormatDOT); !strings.Contains(text, `\\\" {`) {
		t.Errorf("DOT reads what was written:\n%s", text)
	}
	if !json.Valid([]byte(g.Explain(graph.FormatJSON))) {
		t.Error("not JSON")
	}
}

func TestParseFormat(t *testing.T) {
	if f, err := graph.ParseFormat("mermaid"); err != nil || f != graph.FormatMermaid {
		t.Errorf("%v, %v", f, err)
	}
	if _, err := graph.ParseFormat("svg"); err == nil || !strings.Contains(err.Error(), "text, json, mermaid or dot") {
		t.Errorf("%v", err)
	}
}
