package bot

import (
	"context"
	"slices"
	"sync"

	"heddle/bot/tools"
	"heddle/graph/path"
)

// The bounds of what a provider's counts may change.
const (
	// A ratio beyond these is not believed: some servers report what they please.
	leastRatio, mostRatio = 0.25, 4
	// The budget is widened only by what so many requests agree on, and to no more than
	// a count of least tokens for each of heddle's.
	enoughRatios, leastFactor = 8, 0.7
	// ratioSpare is what a request may differ by from all before it.
	ratioSpare = 1.05
	// factorSteps is into how many steps a factor of 1 is parted, so that the budget
	// stays the same for long.
	factorSteps = 16
)

// meter corrects the count of tokens by what the provider reports.
//
// mu guards ratios and read; it is never held over I/O.
type meter struct {
	kept  Ratios // nil: nothing is kept
	model string

	mu     sync.Mutex
	ratios []float64 // the last ones, oldest first
	read   bool      // they were read from the store
}

func newMeter(kept Ratios, model string) *meter { return &meter{kept: kept, model: model} }

// load reads once what was kept. A store that cannot be reached is asked again.
func (m *meter) load(ctx context.Context) {
	m.mu.Lock()
	done := m.read || m.kept == nil
	m.mu.Unlock()
	if done {
		return
	}
	ratios, err := m.kept.Ratios(ctx, m.model)
	if err == nil { // else told by the store
		m.set(ratios)
	}
}

func (m *meter) set(ratios []float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ratios, m.read = ratios, true
}

// add notes one more ratio, if it can be believed.
func (m *meter) add(ctx context.Context, ratio float64) {
	if !(ratio >= leastRatio && ratio <= mostRatio) {
		return
	}
	if m.kept != nil {
		if ratios, err := m.kept.AddRatio(ctx, m.model, ratio); err == nil {
			m.set(ratios)
			return
		}
	}
	const most = 32
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ratios = append(slices.Clone(m.ratios[max(len(m.ratios)-most+1, 0):]), ratio)
}

// budget is a budget of the provider's tokens in those that heddle counts: by the
// request, of the last ones, that took the most, so that no path is over it that is
// like one of them.
func (m *meter) budget(tokens int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int(float64(tokens) / factor(m.ratios))
}

// factor is how many of the provider's tokens one of heddle's may be.
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
	return max(steps/factorSteps, leastFactor)
}

// measure compares what the provider counted for a request with heddle's own count.
// Requests with pictures, which each provider counts in a way of its own, and such
// that were made again or sent with something left out tell nothing.
func (b *Bot) measure(ctx context.Context, p *prepared, outcome *tools.Outcome) {
	answer := &outcome.Answer
	if !b.settings.Estimated || b.settings.Count == nil || answer.Usage.Prompt == 0 || len(outcome.Requests) > 1 || len(answer.Dropped) > 0 {
		return
	}
	counted := toolTokens(p.built.Path.Tools, b.settings.Count) +
		b.settings.Count(path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text(p.request().Tail)}})
	for _, turn := range p.built.Path.Turns {
		if slices.ContainsFunc(turn.Parts, isImage) {
			return
		}
		counted += b.settings.Count(turn)
	}
	b.meter.add(ctx, float64(answer.Usage.Prompt)/float64(counted))
}

func isImage(part path.Part) bool { _, ok := part.(path.Image); return ok }
