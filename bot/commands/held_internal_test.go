package commands

import (
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/heaptest"
	"heddle/internal/lru"
	"heddle/store"
)

func TestWhatIsHeldOfAnswersThatCameTooLate(t *testing.T) {
	heaptest.AtMost(t, "answers to commands that came too late", func() any {
		a := &ask{late: lru.New[asked, store.SummaryID](mostKept)}
		for n := range 4 * mostKept {
			q := question{text: "which colour?"}
			a.late.Add(q.asked(&Use{Interaction: discord.Interaction{User: discord.User{ID: graph.UserID(n + 1)}}}, 0), store.SummaryID(n+1))
		}
		if a.late.Len() != mostKept {
			t.Errorf("%d answers are held, want %d", a.late.Len(), mostKept)
		}
		return a
	})
}
