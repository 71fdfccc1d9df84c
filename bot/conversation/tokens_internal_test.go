package conversation

import (
	"context"
	"strings"
	"testing"

	"heddle/graph/path"
	"heddle/llm"
)

// TestACountThatWasCutShortIsNoMeasure has the provider count fewer tokens than heddle,
// whose own count ends early with its context.
func TestACountThatWasCutShortIsNoMeasure(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	p := &Prepared{Built: path.Built{Path: path.Path{Turns: []path.Turn{{Role: path.RoleUser, Parts: []path.Part{path.Text("a")}}}}}}
	answer := &llm.Answer{Usage: llm.Usage{Prompt: 6}} // of the turn and the tail
	count := func(ctx context.Context, _ path.Turn) int {
		if ctx.Err() != nil {
			return 1
		}
		return 10
	}
	for name, test := range map[string]struct {
		ctx  context.Context //nolint:containedctx // it differs from test to test
		want int
	}{
		"whole":     {t.Context(), 1},
		"cut short": {ended, 0},
	} {
		tokens := newTokens(unreachable{}, "m", Settings{Budget: 1600, Count: count, Estimated: true})
		tokens.measure(test.ctx, p, answer, 1)
		if got := len(tokens.calibration.ratios); got != test.want {
			t.Errorf("%s: the ratios %v are remembered, want %d of them", name, tokens.calibration.ratios, test.want)
		}
	}
}

func TestTheBudgetIsDivided(t *testing.T) {
	t.Parallel()
	described := []path.Tool{{Name: strings.Repeat("n", 10), Description: strings.Repeat("d", 60), Schema: strings.Repeat("s", 30)}}
	tokens := lettered(2400)
	without, with := tokens.pathBudget(t.Context(), nil), tokens.pathBudget(t.Context(), described)
	if want := 2400 - 2400/8 - 2400/8; without != want { // for the tail, and for a summary
		t.Errorf("a path may take %d tokens, want %d", without, want)
	}
	if taken := tokens.ofTools(t.Context(), described); without-with != taken || taken < 100 {
		t.Errorf("tools of %d tokens leave %d of %d, want exactly theirs gone, and at least 100", taken, with, without)
	}
	if got := lettered(0).pathBudget(t.Context(), described); got != 0 {
		t.Errorf("without a budget a path may take %d tokens, want 0", got)
	}
	if got := lettered(10).pathBudget(t.Context(), described); got != 1 {
		t.Errorf("with hardly a budget a path may take %d tokens, want 1", got)
	}
}
