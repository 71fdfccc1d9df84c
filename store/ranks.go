package store

import (
	"context"
	"time"
)

// leastRanked is the least number of earlier answers from which a rank is computed.
const leastRanked = 20

// confidences are how certain a model's latest answers were.
func confidences() *numbers {
	return &numbers{scope: "_confidence", most: 200, ttl: 90 * 24 * time.Hour}
}

// Rank returns the share of the model's last 200 answers that were less certain than a
// confidence, and remembers the confidence. An equally certain answer counts as much as
// the confidence itself: where a model is always equally certain, that is all there is
// to go by, and a constant 0.95 ranks as 0.95. The rank is nil if there were fewer than
// 20 answers or the confidence is not between 0 and 1. Of two concurrent calls only one
// confidence may be remembered.
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
			less += confidence
		}
	}
	share := less / float64(len(before))
	return &share
}
