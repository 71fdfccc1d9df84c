package overrides

import (
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/heaptest"
	"heddle/store"
)

func TestWhatIsHeldOfWhatAdminsChose(t *testing.T) {
	heaptest.AtMost(t, "what admins chose", func() any {
		o := New(nil, Settings{}, nil)
		for n := range graph.ChannelID(2 * mostHeld) {
			_, _ = o.chosen.Get(place{1, n + 1, 2}, func() (store.Override, error) {
				return store.Override{Persona: strings.Repeat("x", longPersona)}, nil
			})
		}
		return o
	})
}
