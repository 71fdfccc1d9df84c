package retention

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"heddle/graph/path"
)

// confidence is a simulated source of the confidences of answers.
type confidence struct {
	known       bool
	correlation float64 // correlation of the latent value with whether the exchange is needed later
}

func (c confidence) String() string {
	switch {
	case !c.known:
		return "absent"
	case c.correlation == 0:
		return "random"
	default:
		return fmt.Sprintf("correlated %.1f", c.correlation)
	}
}

// of returns confidences for the answers of a talk. They are ranks of a normally
// distributed latent value that correlates with whether a later request needs the
// exchange.
func (c confidence) of(t *talk, r *rand.Rand) []*float64 {
	confidences := make([]*float64, len(t.exchanges))
	if !c.known {
		return confidences
	}
	needed := t.needed()
	mean := 0.0
	for _, n := range needed {
		mean += n / float64(len(needed))
	}
	spread := math.Sqrt(mean * (1 - mean))
	latent, order := make([]float64, len(needed)), make([]int, len(needed))
	for i, n := range needed {
		latent[i] = math.Sqrt(1-c.correlation*c.correlation) * r.NormFloat64()
		if spread > 0 {
			latent[i] += c.correlation * (n - mean) / spread
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(latent[a], latent[b]) })
	for rank, i := range order {
		confidences[i] = new(float64(rank) / float64(len(order)))
	}
	return confidences
}

// needed returns for every exchange 1 if a later request needs it, and otherwise 0.
func (t *talk) needed() []float64 {
	needed := make([]float64, len(t.exchanges))
	for i := range t.exchanges {
		for _, j := range t.exchanges[i].needs {
			needed[j] = 1
		}
	}
	return needed
}

// scatter changes confidences that would be kept only at every third position. A random
// third of them is kept at any position, and the others at none.
func scatter(confidences []*float64, retention path.Retention, r *rand.Rand) []*float64 {
	scattered := slices.Clone(confidences)
	for i, c := range scattered {
		if c == nil || *c < retention.Spaced || *c >= retention.Always {
			continue
		}
		moved := math.Nextafter(retention.Spaced, 0)
		if r.IntN(3) == 0 {
			moved = retention.Always
		}
		scattered[i] = &moved
	}
	return scattered
}
