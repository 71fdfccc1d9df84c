package graph_test

import (
	"slices"
	"testing"
	"time"

	"heddle/graph"
)

func TestJoinAdmitsWhatAnEarlierAnswerWasMadeFrom(t *testing.T) {
	said := func(id graph.MessageID) graph.Message { return graph.Message{ID: id, Text: "x"} }
	node := func(id graph.MessageID) graph.Node {
		return graph.Node{Message: new(said(id)), Probability: 0.4, Reasons: []graph.Reason{{Kind: graph.ReasonSeed}}}
	}
	answer := graph.Message{ID: 31, Answers: 20, Origin: graph.OriginSelf}
	system := graph.Message{ID: 12, System: true}
	g := &graph.Graph{
		Trigger:      said(50),
		Conversation: []graph.Node{node(30), node(40)},
		Background:   []graph.Node{node(15), node(16)},
		Explored:     []graph.Node{node(10), node(11)},
	}

	g.Join(answer.ID, []graph.Message{said(40), answer, said(20), said(15), said(10), said(5), system, said(50), said(60), said(5)})

	var ids []graph.MessageID
	for _, n := range g.Conversation {
		ids = append(ids, n.Message.ID)
	}
	if want := []graph.MessageID{5, 10, 15, 20, 31, 30, 40}; !slices.Equal(ids, want) {
		t.Errorf("the conversation is %v, want %v", ids, want)
	}
	if len(g.Background) != 1 || len(g.Explored) != 1 {
		t.Errorf("%d messages are left in the background and %d explored, want 1 each", len(g.Background), len(g.Explored))
	}
	lineage := func(r graph.Reason) bool { return r.Kind == graph.ReasonLineage && r.From == answer.ID }
	for _, n := range g.Conversation {
		if joined := n.Message.ID != 30; slices.ContainsFunc(n.Reasons, lineage) != joined || (n.Probability == 1) != joined {
			t.Errorf("message %s has the reasons %+v and the probability %g, want the lineage among them and 1: %t", n.Message.ID, n.Reasons, n.Probability, joined)
		}
	}
}

func TestAnAnswerStaysBoundToTheVersionsItWasMadeFrom(t *testing.T) {
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

// TestCarryMakesNothingCertain carries over what an answer was made from that the trigger does
// not reply to. Whatever was judged stays where it was judged to be (finding 5).
func TestCarryMakesNothingCertain(t *testing.T) {
	said := func(id graph.MessageID, p float64) graph.Node {
		return graph.Node{Message: &graph.Message{ID: id, Text: "x", System: id == 12}, Probability: p}
	}
	g := &graph.Graph{
		Trigger:      graph.Message{ID: 50},
		Conversation: []graph.Node{said(30, 0.7), said(40, 0.9)},
		Background:   []graph.Node{said(15, 0.2)},
		Explored:     []graph.Node{said(10, 0.1), said(11, 0)},
	}
	g.Carry(31, []graph.Node{said(5, 0.6), said(6, 0.4), said(10, 0.9), said(11, 0.8), said(12, 0.9), said(15, 0.9), said(30, 0.9), said(60, 0.9), said(5, 0.6)})
	want := map[graph.MessageID]float64{5: 0.6, 11: 0.8, 30: 0.7, 40: 0.9}
	for _, n := range g.Conversation {
		carried := slices.ContainsFunc(n.Reasons, func(r graph.Reason) bool {
			return r.Kind == graph.ReasonLineage && r.From == 31 && r.Probability == n.Probability
		})
		if n.Probability != want[n.Message.ID] || carried != (n.Message.ID < 30) {
			t.Errorf("message %s has the probability %g and the reasons %+v, want %g", n.Message.ID, n.Probability, n.Reasons, want[n.Message.ID])
		}
	}
	if len(g.Conversation) != len(want) || len(g.Background) != 1 || len(g.Explored) != 1 {
		t.Errorf("%d messages are in the conversation, %d beside it and %d explored, want 4, 1 and 1", len(g.Conversation), len(g.Background), len(g.Explored))
	}
}
