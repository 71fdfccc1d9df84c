package answer

import (
	"context"
	"slices"
	"sync"
)

// ratios remembers how the provider's counts of tokens differ from heddle's, across
// processes.
type ratios interface {
	// Ratios returns the last ratios of a model, oldest first.
	Ratios(ctx context.Context, model string) ([]float64, error)
	// AddRatio adds a ratio and returns the last ones.
	AddRatio(ctx context.Context, model string, ratio float64) ([]float64, error)
}

// The bounds of what a provider's counts may change.
const (
	// A ratio beyond these is not believed: some servers report what they please.
	minRatio, maxRatio = 0.25, 4
	// The budget is widened only once this many requests agree, and to no less than
	// minFactor of the provider's tokens for each of heddle's.
	enoughRatios, minFactor = 8, 0.7
	// ratioSpare is how much a request may differ from all before it.
	ratioSpare = 1.05
	// factorSteps is into how many steps a factor of 1 is divided, so that the budget
	// stays the same for long.
	factorSteps = 16
	// maxRatios is how many ratios are remembered while the store is away.
	maxRatios = 32
)

// calibration corrects the count of tokens by what the provider reports.
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

// add adds a ratio if it can be believed.
func (c *calibration) add(ctx context.Context, ratio float64) {
	if !(ratio >= minRatio && ratio <= maxRatio) { // NaN is neither
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

// budget converts a budget of the provider's tokens into heddle's. It goes by the
// costliest of the last requests, so that no path like one of them exceeds the budget.
func (c *calibration) budget(tokens int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(float64(tokens) / factor(c.ratios))
}

// factor returns how many of the provider's tokens one of heddle's may be.
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
