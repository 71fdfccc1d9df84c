package graph_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

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

// TestJoinHeldIsJoin compares joining all messages with joining those that the graph
// holds by their ids, and then the others.
func TestJoinHeldIsJoin(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		nodes := make([]graph.Node, random.IntN(40))
		for i := range nodes {
			nodes[i] = graph.Node{Message: &graph.Message{ID: graph.MessageID(2*i + 1)}, Probability: random.Float64()}
			if i > 0 && random.IntN(4) == 0 {
				nodes[i].Message.Origin, nodes[i].Message.Answers = graph.OriginSelf, graph.MessageID(2*random.IntN(i)+1)
			}
		}
		var lineage []graph.Message
		for range random.IntN(20) {
			m := graph.Message{ID: graph.MessageID(random.IntN(90) + 1), System: random.IntN(9) == 0}
			if at := int(m.ID) / 2; m.ID%2 == 1 && at < len(nodes) {
				m = *nodes[at].Message
			}
			if !slices.ContainsFunc(lineage, func(o graph.Message) bool { return o.ID == m.ID }) {
				lineage = append(lineage, m)
			}
		}
		parted := func() *graph.Graph {
			g := &graph.Graph{Trigger: graph.Message{ID: 82}}
			for i := range nodes {
				in := [...]*[]graph.Node{&g.Conversation, &g.Background, &g.Explored}[i%3]
				*in = append(*in, nodes[i])
			}
			return g
		}
		all, held := parted(), parted()
		all.Join(5, lineage)
		ids := make([]graph.MessageID, len(lineage))
		for i := range lineage {
			ids[i] = lineage[i].ID
		}
		missing := held.JoinHeld(5, ids)
		held.Join(5, slices.DeleteFunc(slices.Clone(lineage), func(m graph.Message) bool { return !slices.Contains(missing, m.ID) }))
		if !reflect.DeepEqual(all, held) {
			t.Fatalf("joined at once\n%+v\njoined in two steps, want the same\n%+v", all, held)
		}
	}
}
