package store

import (
	"context"
	"time"
)

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
