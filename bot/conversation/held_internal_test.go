package conversation

import (
	"testing"

	"heddle/graph"
	"heddle/graph/recall"
	"heddle/internal/heaptest"
)

// channelOf returns the vectors of a channel with as many exchanges as are embedded.
func channelOf(dimensions int) []recall.Meaning {
	vectors := make([]recall.Meaning, meaningMost)
	for i := range vectors {
		vectors[i] = recall.Meaning{Anchor: graph.MessageID(i + 1), Values: make([]int8, dimensions)}
	}
	return vectors
}

// TestWhatIsHeldOfVectors fills the vectors of channels, of embedding models with few and
// with many dimensions.
func TestWhatIsHeldOfVectors(t *testing.T) {
	for _, dimensions := range []int{384, 1536, 3072, 8192} {
		heaptest.AtMost(t, "vectors of exchanges, with `EMBEDDING_MODEL`", func() any {
			v := newVectorsOf()
			for channel := range graph.ChannelID(2*mostVectors/(meaningMost*dimensions) + 2) {
				v.put(channel+1, channelOf(dimensions))
			}
			return v
		})
	}
}

func TestTheChannelUsedLeastGivesWay(t *testing.T) {
	v, fit := newVectorsOf(), mostVectors/(meaningMost*8192)
	for channel := range graph.ChannelID(fit) {
		v.put(channel+1, channelOf(8192))
	}
	v.get(1)
	v.put(2, channelOf(8192)) // is replaced
	v.put(graph.ChannelID(fit+1), channelOf(8192))
	for channel, want := range map[graph.ChannelID]int{1: meaningMost, 2: meaningMost, 3: 0, 4: meaningMost, graph.ChannelID(fit + 1): meaningMost} {
		if got := len(v.get(channel)); got != want {
			t.Errorf("%d vectors of channel %d are held, want %d", got, channel, want)
		}
	}
	for channel := range graph.ChannelID(fit + 1) {
		v.drop(channel + 1)
	}
	if v.bytes != 0 || len(v.used) != 0 || len(v.channels) != 0 {
		t.Errorf("%d bytes of %d channels are held after all were dropped, want 0 of 0", v.bytes, len(v.used))
	}
}
