package graph_test

import (
	"slices"
	"testing"
	"time"

	"heddle/graph"
)

// A gap that is as long as the threshold is walked across; a longer one is not.
func TestAGapAsLongAsTheThresholdIsWalkedAcross(t *testing.T) {
	const threshold = 10 * time.Minute
	for gap, want := range map[time.Duration][]graph.MessageID{
		threshold: {1, 2, 3}, threshold + 1: {2, 3}, threshold - 1: {1, 2, 3},
	} {
		w := newWorld()
		at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
		for i, apart := range []time.Duration{0, gap, time.Minute, time.Minute} {
			at = at.Add(apart)
			m := person(graph.MessageID(i+1), "text")
			m.Time = at
			w.add(m)
		}
		w.fold()
		g, err := graph.Expand(&source{world: w, order: inOrder}, w.byID[4], graph.Options{MinLinear: 1, MaxTotal: 10, TimeThreshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(g.Conversation); !slices.Equal(got, want) {
			t.Errorf("across a gap of %v the conversation is %v, want %v", gap, got, want)
		}
	}
}
