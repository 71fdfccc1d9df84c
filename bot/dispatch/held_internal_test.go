package dispatch

import (
	"testing"

	"heddle/graph"
	"heddle/internal/heaptest"
	"heddle/store"
)

// id returns the n-th of many ids, which are as large as Discord's.
func id(n int) uint64 { return uint64(n+1)<<22 | 1<<60 }

func TestWhatIsHeldOfChannels(t *testing.T) {
	heaptest.AtMost(t, "the last message heard in a channel", func() any {
		h := newHeard()
		for n := range 2 * mostHeard {
			h.hear(graph.ChannelID(id(n)), graph.MessageID(id(n)))
		}
		return h
	})
	heaptest.AtMost(t, "where people ask", func() any {
		u := newUnread()
		for n := range 2 * mostUsed {
			u.use(graph.ChannelID(id(n)))
		}
		return u
	})
	heaptest.AtMost(t, "what was answered lately", func() any {
		r := newRecent(mostRecent)
		for n := range 2 * mostRecent {
			r.add(store.TriggerClaim(graph.MessageID(id(n))))
		}
		return r
	})
}
