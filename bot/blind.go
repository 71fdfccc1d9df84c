package bot

import (
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph"
)

// blind remembers the channels in which people were told that heddle cannot read
// what was said before, so that they are told once.
type blind struct {
	told *lru.Cache[graph.ChannelID, struct{}]
}

// mostBlind is how many channels are remembered; what is forgotten is told again.
const mostBlind = 4096

func newBlind() *blind {
	told, err := lru.New[graph.ChannelID, struct{}](mostBlind)
	if err != nil {
		return &blind{} // never: the size is positive
	}
	return &blind{told}
}

// tell says whether to tell people now. Once the channel can be read again, it
// starts anew.
func (b *blind) tell(channel graph.ChannelID, g *graph.Graph) bool {
	if !unreadable(g) {
		b.told.Remove(channel)
		return false
	}
	told, _ := b.told.ContainsOrAdd(channel, struct{}{})
	return !told
}

// unreadable says whether a graph ends where nothing more may be read.
func unreadable(g *graph.Graph) bool {
	return slices.ContainsFunc(g.Seals, func(s graph.Seal) bool { return s.Why == graph.SealUnreadable })
}
