package conversation

import (
	"context"
	"math"
	"slices"
	"testing"

	"heddle/store"
)

func TestTheBudgetFollowsWhatTheProviderCounts(t *testing.T) {
	t.Parallel()
	agreed := func(ratio float64) []float64 { return slices.Repeat([]float64{ratio}, enoughRatios) }
	for name, test := range map[string]struct {
		ratios []float64
		want   int // of 1600 tokens
	}{
		"nothing is known":                           {nil, 1600},
		"one request took twice as many":             {[]float64{2}, 752},
		"one took half":                              {[]float64{0.5}, 1600},
		"many took four fifths":                      {agreed(0.8), 1828},
		"many took a third, which is not believed":   {agreed(0.33), 2285},
		"one of many took more than was counted":     {append(agreed(0.5), 1.4), 1066},
		"those that are out of reason are left out":  {[]float64{0, -1, 100, math.NaN(), math.Inf(1), 0.001}, 1600},
		"one out of reason does not undo the others": {append(agreed(2), 100), 752},
	} {
		c := newCalibration(unreachable{}, "m")
		for _, ratio := range test.ratios {
			c.add(t.Context(), ratio)
		}
		if got := c.budget(1600); got != test.want {
			t.Errorf("%s: the budget of 1600 tokens is %d, want %d", name, got, test.want)
		}
	}
}

func TestOnlyTheLastRequestsCount(t *testing.T) {
	t.Parallel()
	c := newCalibration(unreachable{}, "m")
	c.add(t.Context(), 3)
	for range 32 {
		c.add(t.Context(), 0.9)
	}
	if got := c.budget(1600); got != 1600 { // 0.9 and some to spare
		t.Errorf("the budget of 1600 tokens is %d, want 1600", got)
	}
}

// unreachable is the store while it is away.
type unreachable struct{}

func (unreachable) Ratios(context.Context, string) ([]float64, error) {
	return nil, store.ErrUnavailable
}

func (unreachable) AddRatio(context.Context, string, float64) ([]float64, error) {
	return nil, store.ErrUnavailable
}
