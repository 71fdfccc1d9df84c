package phrases_test

import (
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
)

// TestEveryReasonHasItsWords words each kind of reason for a message of bob's. It is about ann's
// message, another one of bob's, the question, or one that nobody may see.
func TestEveryReasonHasItsWords(t *testing.T) {
	const ann, bobs, asked, unseen = 1, 2, 9, 77
	g := &graph.Graph{
		Conversation: []graph.Node{{Message: &graph.Message{ID: ann, Author: 10, Name: "ann"}}, {Message: &graph.Message{ID: bobs, Author: 20, Name: "bob"}}},
		Trigger:      graph.Message{ID: asked, Author: 10, Name: "ann"},
	}
	named := phrases.In().Naming(g, func(m *graph.Message) string { return m.Name })
	near := func(from graph.MessageID, gap time.Duration) graph.Reason {
		return graph.Reason{Kind: graph.ReasonTemporal, From: from, Gap: gap}
	}
	reference := func(kind graph.ReferenceKind, from graph.MessageID) graph.Reason {
		return graph.Reason{Kind: graph.ReasonReference, Reference: kind, From: from, Probability: 0.5}
	}
	answer := func(kind graph.ReferenceKind, from graph.MessageID) graph.Reason {
		return graph.Reason{Kind: graph.ReasonAnswer, Reference: kind, From: from, Probability: 0.5}
	}
	link := func(from graph.MessageID, probability float64) graph.Reason {
		return graph.Reason{Kind: graph.ReasonReference, Reference: graph.ReferenceInferred, From: from, Probability: probability}
	}
	for _, test := range []struct {
		reason graph.Reason
		want   string
	}{
		{graph.Reason{Kind: graph.ReasonSeed}, "among the newest"},
		{near(ann, 90*time.Second), "next to ann, 1 minute apart"},
		{near(unseen, 59*time.Second), "next to another message, 59 seconds apart"},
		{near(asked, 2*time.Hour), "next to the question, 2 hours apart"},
		{near(asked, 24*time.Hour), "next to the question, 1 day apart"},
		{graph.Reason{Kind: graph.ReasonLineage}, "from an earlier question of this conversation"},
		{reference(graph.ReferenceReply, ann), "ann replies to it"},
		{reference(graph.ReferenceReply, unseen), "another message replies to it"},
		{answer(graph.ReferenceReply, ann), "replies to ann"},
		{reference(graph.ReferenceStarter, unseen), "the thread starts with it"},
		{reference(graph.ReferenceForward, ann), "ann forwards it"},
		{reference(graph.ReferenceLink, asked), "the question links to it"},
		{answer(graph.ReferenceLink, ann), "links to ann"},
		{reference(graph.ReferenceInferred, ann), "ann likely answers it"},
		{answer(graph.ReferenceAddress, ann), "likely answers ann"},
		{link(asked, 0.9), "the question surely answers it"},
		{reference(graph.ReferenceInferred, bobs), "bob likely continues it"},
		{answer(graph.ReferenceInferred, bobs), "likely continues bob"},
		{link(bobs, 0.09), "perhaps belongs with bob"},
		{link(ann, 0.1), "ann perhaps answers it"},
	} {
		if got := named.Reason(&graph.Message{ID: 4, Author: 20}, &test.reason); got != test.want {
			t.Errorf("a message because of %+v reads %q, want %q", test.reason, got, test.want)
		}
	}
}
