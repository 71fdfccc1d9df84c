package answer

import (
	"testing"

	"heddle/graph"
)

func TestADenialIsToldOncePerChannel(t *testing.T) {
	t.Parallel()
	d := newDenied()
	open, closed := &graph.Graph{}, &graph.Graph{Seals: []graph.Seal{{Why: graph.SealUnreadable}}}
	for i, step := range []struct {
		channel graph.ChannelID
		graph   *graph.Graph
		want    bool
	}{{1, open, false}, {1, closed, true}, {1, closed, false}, {2, closed, true}, {1, open, false}, {2, closed, false}, {1, closed, true}} {
		if got := d.notify(step.channel, step.graph); got != step.want {
			t.Errorf("step %d: people are told: %t", i+1, got)
		}
	}
	for channel := range graph.ChannelID(maxDenied) {
		d.notify(10+channel, closed)
	}
	if d.notified.Len() > maxDenied || !d.notify(2, closed) {
		t.Errorf("%d channels are remembered", d.notified.Len())
	}
}
