package store

import (
	"context"
	"time"
)

// ratios are how many tokens a provider counted for each that heddle had counted.
func ratios() *numbers {
	return &numbers{scope: "_tokens", most: 32, ttl: 90 * 24 * time.Hour}
}

// Ratios gives of a model's last 32 requests, oldest first, how many tokens its
// provider counted for each that heddle had counted.
func (m *Measures) Ratios(ctx context.Context, model string) ([]float64, error) {
	return ratios().read(ctx, m.base, model)
}

// AddRatio remembers one more of them, and gives all. Two calls at once may remember
// only one of both.
func (m *Measures) AddRatio(ctx context.Context, model string, ratio float64) ([]float64, error) {
	before, err := m.Ratios(ctx, model)
	if err != nil {
		return nil, err
	}
	return ratios().add(ctx, m.base, model, before, ratio)
}
