package conversation

import (
	"slices"
	"sync"

	"heddle/graph"
	"heddle/graph/recall"
)

// mostVectors bounds the vectors that are held in memory, in bytes. A channel with 500
// exchanges takes 750 KiB if the embedding model has 1,536 dimensions.
const mostVectors = 64 << 20

// vectorsOf holds the vectors of channels in memory. If they would exceed mostVectors,
// the channel that was used least recently gives way. Its methods may be called from any
// goroutine.
type vectorsOf struct {
	mu       sync.Mutex
	channels map[graph.ChannelID][]recall.Meaning // its slices are immutable
	used     []graph.ChannelID                    // the keys of channels, the one used last at the end
	bytes    int
}

func newVectorsOf() *vectorsOf {
	return &vectorsOf{channels: make(map[graph.ChannelID][]recall.Meaning)}
}

// put replaces the vectors of a channel.
func (v *vectorsOf) put(channel graph.ChannelID, vectors []recall.Meaning) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dropLocked(channel)
	if len(vectors) == 0 {
		return
	}
	v.channels[channel], v.bytes = vectors, v.bytes+bytesOf(vectors)
	v.used = append(v.used, channel)
	for v.bytes > mostVectors {
		v.dropLocked(v.used[0])
	}
}

// get returns the vectors of a channel, or nil if none are held.
func (v *vectorsOf) get(channel graph.ChannelID) []recall.Meaning {
	v.mu.Lock()
	defer v.mu.Unlock()
	if at := slices.Index(v.used, channel); at >= 0 {
		v.used = append(slices.Delete(v.used, at, at+1), channel)
	}
	return v.channels[channel]
}

// drop forgets the vectors of a channel.
func (v *vectorsOf) drop(channel graph.ChannelID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dropLocked(channel)
}

func (v *vectorsOf) dropLocked(channel graph.ChannelID) {
	v.bytes -= bytesOf(v.channels[channel])
	delete(v.channels, channel)
	if at := slices.Index(v.used, channel); at >= 0 {
		v.used = slices.Delete(v.used, at, at+1)
	}
}

// bytesOf returns how many bytes vectors take, apart from what holds them.
func bytesOf(vectors []recall.Meaning) (n int) {
	for i := range vectors {
		n += len(vectors[i].Values)
	}
	return n
}
