package answer

import (
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/graph"
)

// maxDenied bounds the channels that are remembered; people in a channel that was
// forgotten are told again.
const maxDenied = 4096

// denied remembers the channels in which people were told that heddle cannot read what
// was said before, so that nobody is told twice. It may be used by any goroutine.
type denied struct {
	notified *lru.Cache[graph.ChannelID, struct{}]
}

func newDenied() *denied {
	notified, err := lru.New[graph.ChannelID, struct{}](maxDenied)
	if err != nil {
		panic(err) // never: the size is positive
	}
	return &denied{notified}
}

// notify reports whether people are to be told now, which then counts as done. Once
// the history can be read again, the next denial is told again.
func (d *denied) notify(channel graph.ChannelID, g *graph.Graph) bool {
	if !isDenied(g) {
		d.notified.Remove(channel)
		return false
	}
	known, _ := d.notified.ContainsOrAdd(channel, struct{}{})
	return !known
}

// isDenied reports whether a graph ends where Discord denies heddle the history.
func isDenied(g *graph.Graph) bool {
	return slices.ContainsFunc(g.Seals, func(s graph.Seal) bool { return s.Why == graph.SealUnreadable })
}
