package llm_test

import (
	"context"
	"strconv"
	"testing"

	"heddle/graph/path"
	"heddle/internal/heaptest"
	"heddle/llm"
)

func TestWhatIsHeldOfTurns(t *testing.T) {
	heaptest.AtMost(t, "the sizes of turns", func() any {
		count := llm.Cached(func(context.Context, path.Turn) int { return 1 })
		for n := range 40_000 {
			count(t.Context(), path.Turn{Role: path.RoleUser, Parts: []path.Part{path.Text(strconv.Itoa(n))}})
		}
		return count
	})
}
