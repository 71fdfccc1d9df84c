package graph_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
)

// needing is an affinity by which nothing answers anything, and the last message needs each
// older one with the probability that stands at its place.
type needing []float32

func (n needing) Links(window []*graph.Message) graph.Links {
	links := graph.NewLinks(len(window))
	links.Needs = n[:min(len(n), len(window)-1)]
	return links
}

// TestWhatTheQuestionMayNeedIsBackground asks after messages of a hundred characters.
func TestWhatTheQuestionMayNeedIsBackground(t *testing.T) {
	for name, c := range map[string]struct {
		needs  needing
		room   int
		length int
		want   []graph.MessageID
	}{
		"what is likely needed":       {needing{0.9, 0, 0.2, 0}, 1000, 100, []graph.MessageID{1, 3}},
		"the likeliest within bounds": {needing{0.3, 0.2, 0.9, 0.1}, 250, 100, []graph.MessageID{1, 3}},
		"nothing without room":        {needing{0.9, 0.9, 0.9, 0.9}, 0, 100, nil},
		"long ones are worth less":    {needing{0.9, 0, 0.004, 0}, 9000, 1000, []graph.MessageID{1}},
		"short ones are worth it":     {needing{0.9, 0, 0.004, 0}, 9000, 100, []graph.MessageID{1, 3}},
		"less where all is unlikely":  {needing{0.06, 0, 0.004, 0}, 9000, 100, nil},
		"an affinity that tells none": {nil, 9000, 100, nil},
	} {
		w := newWorld()
		for i := range 5 {
			m := person(graph.MessageID(i+1), strings.Repeat("x", c.length))
			m.Time = time.Unix(int64(60*i), 0)
			w.add(m)
		}
		w.fold()
		g := must(graph.Expand(&source{world: w, order: inOrder}, w.byID[5], graph.Options{MaxTotal: 30, Background: c.room, Affinity: c.needs}))(t)
		if got := ids(g.Background); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v is background, want %v", name, got, c.want)
		}
		for i := range g.Background {
			if because := g.Background[i].Because(); because[0].Kind != graph.ReasonNeeded {
				t.Errorf("%s: %v is there by %s, want it needed", name, g.Background[i].Message.ID, because[0].Kind)
			}
		}
	}
}
