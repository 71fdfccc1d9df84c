package graph_test

import (
	"testing"
	"time"

	"heddle/graph"
)

// A chain of replies costs one read for each reply that is not held, and a few for the
// neighbours of all; it is judged once.
func TestAChainIsReadBeforeItIsJudged(t *testing.T) {
	const length, apart = 25, 120
	w := newWorld()
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range length*apart + 1 {
		m := person(graph.MessageID(i+1), "text")
		m.Time = at.Add(time.Duration(i) * time.Minute)
		if i > 0 && i%apart == 0 {
			m.References = []graph.Reference{{Channel: m.Channel, Message: graph.MessageID(i + 1 - apart)}}
		}
		w.add(m)
	}
	w.fold()
	s := &source{world: w, order: inOrder}
	options := graph.DefaultOptions()
	options.Affinity = dice(1)
	g, err := graph.Expand(s, w.byID[length*apart+1], options)
	if err != nil {
		t.Fatal(err)
	}
	if most := length + 4; s.batches > most || g.Rounds != 1 {
		t.Errorf("%d reads and %d judgements, want at most %d and 1", s.batches, g.Rounds, most)
	}
	if len(g.Conversation) < length {
		t.Errorf("the conversation has %d messages, want at least the %d of the chain", len(g.Conversation), length)
	}
}
