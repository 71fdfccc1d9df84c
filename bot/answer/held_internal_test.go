package answer

import (
	"testing"
	"time"

	"heddle/bot/limits"
	"heddle/graph"
	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfWhatPeopleWereTold(t *testing.T) {
	heaptest.AtMost(t, "who was told of a limit, or of what heddle may not read", func() any {
		n, now := newNotified(), time.Now()
		for i := range uint64(2 * mostNotified) {
			n.ofDenial(graph.ChannelID(i+1), 1)
			n.ofLimit(graph.UserID(i+1), graph.ChannelID(i+1), &limits.ExceededError{Until: now.Add(time.Hour)}, now)
		}
		return n
	})
}
