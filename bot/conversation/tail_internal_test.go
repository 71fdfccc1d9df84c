package conversation

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

// TestTheBackgroundTakesAnEighthOfTheBudget has much be said in other talks.
func TestTheBackgroundTakesAnEighthOfTheBudget(t *testing.T) {
	t.Parallel()
	var nodes []graph.Node
	for i := range 10 {
		nodes = append(nodes, graph.Node{Message: &graph.Message{ID: graph.MessageID(i + 1), Author: graph.UserID(i), Name: "bob", Text: fmt.Sprint(i, strings.Repeat(" word", 99))}})
	}
	words := func(_ context.Context, turn path.Turn) int { return len(strings.Fields(turn.PlainText())) }
	for budget, want := range map[int]int{0: 10, 500: 0, 800: 1, 2399: 2, 2400: 3, 80_000: 10} {
		s := shaper{tokens: newTokens(nil, "m", Settings{Budget: budget, Count: words})}
		turns, by := s.background(t.Context(), nodes, path.Naming{}.Names())
		if len(turns) != want || len(by) != want || want > 0 && by[want-1] != 9 || want > 0 && !strings.HasPrefix(turns[want-1].PlainText(), "9 ") {
			t.Errorf("with a budget of %d tokens %d turns of 100 are told, want the newest %d", budget, len(turns), want)
		}
	}
}
