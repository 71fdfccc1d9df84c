package conversation

import (
	"context"
	"slices"
	"sync"
)

// ratios stores, for all processes, how the provider's counts of tokens compare with
// heddle's.
type ratios interface {
	// Ratios returns the last ratios of a model, oldest first.
	Ratios(ctx context.Context, model string) ([]float64, error)
	// AddRatio adds a ratio and returns the last ones.
	AddRatio(ctx context.Context, model string, ratio float64) ([]float64, error)
}

// The bounds of what a provider's counts may change.
const (
	// Ratios outside of these bounds are ignored, as some servers report arbitrary
	// numbers.
	minRatio, maxRatio = 0.25, 4
	// The budget is widened only after this many requests, and by no more than if each
	// of heddle's tokens were minFactor of the provider's.
	enoughRatios, minFactor = 8, 0.7
	// ratioSpare is the allowance for requests that cost more than any before.
	ratioSpare = 1.05
	// factorSteps is the number of steps between factors 0 and 1. Rounding keeps the
	// budget the same for long.
	factorSteps = 16
	// maxRatios bounds the ratios that are remembered while the store is away.
	maxRatios = 32
)

// calibration corrects heddle's counts of tokens by those that the provider reports.
//
// mu guards ratios and read; it is never held over I/O.
type calibration struct {
	store ratios
	model string

	mu     sync.Mutex
	ratios []float64 // the last ones, oldest first
	read   bool      // they were read from the store
}

func newCalibration(store ratios, model string) *calibration {
	return &calibration{store: store, model: model}
}

// load reads the stored ratios, once. If the store cannot be reached, the next call
// tries again.
func (c *calibration) load(ctx context.Context) {
	c.mu.Lock()
	done := c.read
	c.mu.Unlock()
	if done {
		return
	}
	if ratios, err := c.store.Ratios(ctx, c.model); err == nil { // the store logs its outages
		c.set(ratios)
	}
}

func (c *calibration) set(ratios []float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ratios, c.read = ratios, true
}

// add adds a ratio unless it is out of bounds.
func (c *calibration) add(ctx context.Context, ratio float64) {
	if !(ratio >= minRatio && ratio <= maxRatio) { // false for NaN, too
		return
	}
	if ratios, err := c.store.AddRatio(ctx, c.model, ratio); err == nil {
		c.set(ratios)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ratios = append(slices.Clone(c.ratios[max(len(c.ratios)-maxRatios+1, 0):]), ratio)
}

// budget converts a budget of the provider's tokens into heddle's. It uses the highest
// of the last ratios, so that no similar path exceeds the budget.
func (c *calibration) budget(tokens int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(float64(tokens) / factor(c.ratios))
}

// factor returns the number of the provider's tokens for one of heddle's, at most.
func factor(ratios []float64) float64 {
	if len(ratios) == 0 {
		return 1
	}
	most := slices.Max(ratios) * ratioSpare
	if len(ratios) < enoughRatios {
		most = max(most, 1)
	}
	steps := most * factorSteps
	if whole := float64(int(steps)); whole < steps {
		steps = whole + 1
	}
	return max(steps/factorSteps, minFactor)
}
