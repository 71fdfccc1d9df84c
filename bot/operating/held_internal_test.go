package operating

import (
	"testing"

	"heddle/graph"
	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfPauses(t *testing.T) {
	heaptest.AtMost(t, "where heddle is paused", func() any {
		p := NewPauses(nil, nil)
		for guild := range graph.GuildID(2 * mostHeld) {
			_, _ = p.paused.Get(guild+1, func() (bool, error) { return true, nil })
		}
		return p
	})
}
