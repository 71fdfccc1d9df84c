package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// confidence is where the answers of a simulated talk have theirs from.
type confidence struct {
	known       bool
	correlation float64 // with whether the exchange is needed later, in the latent value
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

// of gives the answers of a talk their confidences: the rank of a normal value that
// correlates so much with whether a later request needs the exchange.
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

// needed says of every exchange, with 1 or 0, whether a later request needs it.
func (t *talk) needed() []float64 {
	needed := make([]float64, len(t.exchanges))
	for i := range t.exchanges {
		for _, j := range t.exchanges[i].needs {
			needed[j] = 1
		}
	}
	return needed
}

// scatter moves every confidence that stays only at some positions above the rule or
// below it, so that a random third of them stay.
func scatter(confidences []*float64, spaced, always float64, r *rand.Rand) []*float64 {
	scattered := slices.Clone(confidences)
	for i, c := range scattered {
		if c == nil || *c < spaced || *c >= always {
			continue
		}
		moved := math.Nextafter(spaced, 0)
		if r.IntN(3) == 0 {
			moved = always
		}
		scattered[i] = &moved
	}
	return scattered
}
