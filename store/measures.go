package store

import (
	"context"
	"time"
)

// Measures stores measurements of models. They contain no text and no ids, and are
// shared by all scopes.
type Measures struct{ base *base }

// leastRanked is the number of earlier answers that a rank requires.
const leastRanked = 20

// confidences returns the numbers that hold the confidences of a model's latest
// answers.
func confidences() *numbers {
	return &numbers{scope: "_confidence", most: 200, ttl: 90 * 24 * time.Hour}
}

// Rank stores a confidence and returns its rank: the share of the model's last 200
// answers that were less certain. An equally certain answer counts as a part of one,
// and the part is the confidence itself. If a model is always equally certain, a
// confidence of 0.95 therefore ranks as 0.95. The rank is nil if there were fewer than
// 20 answers, or if the confidence is not between 0 and 1. Of two confidences stored at
// the same time one may be lost.
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

// rankAmong returns the share of earlier confidences that are below one, or nil if there
// are too few to tell. An equal one counts as below by the share that confidence is.
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

// ratios returns the numbers that hold ratios: the tokens that a provider counted,
// divided by those that heddle counted.
func ratios() *numbers {
	return &numbers{scope: "_tokens", most: 32, ttl: 90 * 24 * time.Hour}
}

// Ratios returns, for each of a model's last 32 requests, oldest first, the number of
// tokens that the provider counted divided by the number that heddle counted.
func (m *Measures) Ratios(ctx context.Context, model string) ([]float64, error) {
	return ratios().read(ctx, m.base, model)
}

// AddRatio stores one more ratio and returns all. Of two ratios added at the same time
// one may be lost.
func (m *Measures) AddRatio(ctx context.Context, model string, ratio float64) ([]float64, error) {
	before, err := m.Ratios(ctx, model)
	if err != nil {
		return nil, err
	}
	return ratios().add(ctx, m.base, model, before, ratio)
}
