package graph_test

import (
	"slices"
	"testing"

	"heddle/graph"
)

func TestJoinAdmitsWhatAnEarlierAnswerWasMadeFrom(t *testing.T) {
	said := func(id graph.MessageID) graph.Message { return graph.Message{ID: id, Text: "x"} }
	node := func(id graph.MessageID) graph.Node {
		return graph.Node{Message: said(id), Probability: 0.4, Reasons: []graph.Reason{{Kind: graph.ReasonSeed}}}
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
			t.Errorf("message %s has the reasons %+v and the probability %g", n.Message.ID, n.Reasons, n.Probability)
		}
	}
}
