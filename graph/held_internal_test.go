package graph

import (
	"testing"

	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfTurnsDrawnAhead(t *testing.T) {
	heaptest.AtMost(t, "turns that were drawn ahead", func() any {
		f := NewForeseen()
		for channel := range ChannelID(2 * foreseenChannels) {
			f.put(channel+1, &foreseen{roots: make([][draws]uint8, mostForeseen), talks: make([]foreseenTalk, 8*draws)})
		}
		return f
	})
}
