package store

import (
	"context"
	"time"
)

// leastRanked is how many answers before tell something.
const leastRanked = 20

// confidences are how certain a model's last answers were.
func confidences() *numbers {
	return &numbers{scope: "_confidence", most: 200, ttl: 90 * 24 * time.Hour}
}

// Rank compares a confidence with those of the model's last 200 answers and
// remembers it: it gives the share of them that were less certain, of those equally
// certain half. It is nil where there were fewer than 20, and for what is no
// confidence. Two calls at once may remember only one of both.
func (m *Measures) Rank(ctx context.Context, model string, confidence float64) (*float64, error) {
	if !(confidence >= 0 && confidence <= 1) {
		return nil, nil //nolint:nilnil // unknown is no error
	}
	before, err := confidences().read(ctx, m.base, model)
	if err != nil {
		return nil, err
	}
	_, err = confidences().add(ctx, m.base, model, before, confidence)
	return rankAmong(before, rounded(confidence)), err
}

func rankAmong(before []float64, confidence float64) *float64 {
	if len(before) < leastRanked {
		return nil
	}
	less := 0.0
	for _, other := range before {
		switch {
		case other < confidence:
			less++
		case other == confidence:
			less += 0.5
		}
	}
	share := less / float64(len(before))
	return &share
}
