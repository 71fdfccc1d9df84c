package graph_test

import (
	"reflect"
	"testing"
	"time"

	"heddle/graph"
)

// TestTheDecidingReasonComesFirst orders the reasons for a message. A link that is too unlikely to
// be shown is left out beside another reason.
func TestTheDecidingReasonComesFirst(t *testing.T) {
	seed := graph.Reason{Kind: graph.ReasonSeed, Probability: 1}
	near := graph.Reason{Kind: graph.ReasonTemporal, From: 1, Gap: time.Minute, Probability: 1}
	lineage := graph.Reason{Kind: graph.ReasonLineage, From: 3, Probability: 1}
	read := graph.Reason{Kind: graph.ReasonRead, Probability: 1}
	needed := graph.Reason{Kind: graph.ReasonNeeded, Probability: 1}
	reply := graph.Reason{Kind: graph.ReasonReference, Reference: graph.ReferenceReply, From: 1, Probability: 1}
	link := graph.Reason{Kind: graph.ReasonAnswer, Reference: graph.ReferenceLink, From: 1, Probability: 1}
	inferred := func(p float64) graph.Reason {
		return graph.Reason{Kind: graph.ReasonReference, Reference: graph.ReferenceInferred, From: 2, Probability: p}
	}
	for _, c := range []struct{ reasons, want []graph.Reason }{
		{[]graph.Reason{seed, inferred(.9), reply, lineage}, []graph.Reason{reply, lineage, inferred(.9), seed}},
		{[]graph.Reason{needed, inferred(.9), read, link}, []graph.Reason{link, read, inferred(.9), needed}},
		{[]graph.Reason{near, needed, read, lineage}, []graph.Reason{lineage, read, needed, near}},
		{[]graph.Reason{inferred(.5), inferred(.6)}, []graph.Reason{inferred(.6), inferred(.5)}},
		{[]graph.Reason{near, seed}, []graph.Reason{near, seed}},
		{[]graph.Reason{inferred(.04), seed, inferred(.05)}, []graph.Reason{seed}},
		{[]graph.Reason{inferred(.04)}, []graph.Reason{inferred(.04)}},
	} {
		if got := (&graph.Node{Reasons: c.reasons}).Because(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("of %+v the order is %+v, want %+v", c.reasons, got, c.want)
		}
	}
}
