package graph_test

import (
	"slices"
	"testing"
	"time"

	"heddle/graph"
)

func TestAnAnswerStaysBoundToTheVersionsItWasMadeFrom(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute) }
	said := func(id graph.MessageID, edited time.Time) graph.Node {
		return graph.Node{Message: &graph.Message{ID: id, Edited: edited}}
	}
	g := &graph.Graph{
		Conversation: []graph.Node{said(1, at(5)), said(2, at(5)), said(3, time.Time{}), said(10, at(9)), said(11, time.Time{})},
		Background:   []graph.Node{said(4, at(7))},
		Edges:        []graph.Edge{{From: 1, To: 1, Kind: graph.EdgeVersion, Edited: at(5)}},
	}
	made := map[graph.MessageID]time.Time{1: {}, 2: at(5), 3: {}, 4: at(6), 10: {}, 99: {}}
	for range 2 { // binding twice changes nothing
		g.Bind(10, versions(made))
	}
	g.Bind(11, versions(map[graph.MessageID]time.Time{1: at(1)}))
	var bound [][2]graph.MessageID
	for _, e := range g.Edges {
		if e.Kind != graph.EdgeVersion || e.From != e.To || e.Edited.IsZero() {
			t.Errorf("%+v is no version edge, want Kind %v, From %v and Edited.IsZero() false", e, graph.EdgeVersion, e.To)
		}
		bound = append(bound, [2]graph.MessageID{e.From, e.Bound})
	}
	if want := [][2]graph.MessageID{{1, 10}, {4, 10}, {1, 11}}; !slices.Equal(bound, want) {
		t.Errorf("answers are bound to earlier versions of %v, want %v", bound, want)
	}
}

// versions returns a lookup in made, as Bind takes it.
func versions(made map[graph.MessageID]time.Time) func(graph.MessageID) (time.Time, bool) {
	return func(id graph.MessageID) (edited time.Time, known bool) {
		edited, known = made[id]
		return edited, known
	}
}
