package reconcile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"heddle/graph"
	"heddle/store"
)

// TestACheckIsBounded adds more answers than a check looks up, each made from its
// question and one message before it. The newest questions are kept, with the messages
// that answer them.
func TestACheckIsBounded(t *testing.T) {
	t.Parallel()
	const answers = 3 * mostSources
	var found stored
	for n := range graph.MessageID(answers) {
		question := 1000 + 4*n
		var r store.Response
		r.Trigger, r.Replies = question, []store.Reply{{ID: question + 1}}
		r.Sources = []store.SourceRef{{Message: question, Channel: 5}, {Message: question - 2, Channel: 5}}
		found.add(&r, nil)
		if len(found.sources) > 2*mostSources+2 || len(found.answers) > 3*mostSources {
			t.Fatalf("after %d answers, %d messages and %d questions are remembered, want at most %d and at most %d", n+1, len(found.sources), len(found.answers), 2*mostSources+2, 3*mostSources)
		}
	}
	found.settle()
	newest := graph.MessageID(1000 + 4*(answers-1))
	if len(found.sources) != mostSources || found.sources[0].message != newest {
		t.Errorf("%d messages are remembered, from %s on; want %d from %s on", len(found.sources), found.sources[0].message, mostSources, newest)
	}
	if n := len(found.answers); n != mostSources/2 || !slices.Equal(found.answers[newest], []graph.MessageID{newest + 1}) {
		t.Errorf("%d questions are kept, the newest with the answers %v, want %d and %v", n, found.answers[newest], mostSources/2, []graph.MessageID{newest + 1})
	}
}

// TestSourcesAreGroupedByChannel compares byChannel with a loop that picks the sources
// of each channel.
func TestSourcesAreGroupedByChannel(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		sources := make([]source, random.IntN(30))
		want := make(map[graph.ChannelID][]source)
		for i := range sources {
			sources[i] = source{channel: graph.ChannelID(random.IntN(5)), message: graph.MessageID(100 - i)}
			want[sources[i].channel] = append(want[sources[i].channel], sources[i])
		}
		got := byChannel(sources)
		if len(got) != len(want) {
			t.Fatalf("there are %d channels, want %d", len(got), len(want))
		}
		for channel := range want {
			if !slices.Equal(got[channel], want[channel]) {
				t.Errorf("channel %s has the sources %v, want %v", channel, got[channel], want[channel])
			}
		}
	}
}
