package llm_test

import (
	"context"
	"testing"

	"heddle/graph/path"
	"heddle/llm"
)

// cutShort returns a count that adds to calls. Each turn has ten tokens, or one if ctx
// has ended.
func cutShort(calls *int) llm.CountFunc {
	return func(ctx context.Context, _ path.Turn) int {
		*calls++
		if ctx.Err() != nil {
			return 1
		}
		return 10
	}
}

func TestATurnIsCountedOnce(t *testing.T) {
	t.Parallel()
	calls := 0
	count := llm.Cached(cutShort(&calls))
	ended, end := context.WithCancel(t.Context())
	end()
	said := func(text string) path.Turn {
		return path.Turn{Role: path.RoleUser, Parts: []path.Part{path.Text(text)}}
	}
	for i, step := range []struct {
		ctx         context.Context //nolint:containedctx // it differs from step to step
		turn        path.Turn
		want, calls int
	}{
		{t.Context(), said("a"), 10, 1},
		{t.Context(), said("a"), 10, 1},
		{ended, said("a"), 10, 1},
		{ended, said("b"), 1, 2},
		{t.Context(), said("b"), 10, 3},
		{t.Context(), said("b"), 10, 3},
	} {
		if got := count(step.ctx, step.turn); got != step.want || calls != step.calls {
			t.Errorf("step %d: the turn takes %d tokens after %d counts, want %d after %d", i+1, got, calls, step.want, step.calls)
		}
	}
}
