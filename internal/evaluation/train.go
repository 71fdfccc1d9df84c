package evaluation

import (
	"context"
	"fmt"
	"math/rand/v2"

	"heddle/graph/affinity"
)

// Course says how weights are fitted.
type Course struct {
	Epochs  int
	Rate    float64 // of learning, at the beginning; it falls to nearly nothing
	Seed    uint64
	History int // messages that a lesson shows before its last
}

// DefaultCourse is how the shipped weights were fitted.
func DefaultCourse() Course { return Course{Epochs: 14, Rate: 0.006, Seed: 1, History: 100} }

// slowest is the share of the rate that is left at the end.
const slowest = 0.01

// Train fits weights to logs. The same logs in the same order and the same course
// give the same weights. report is called after every epoch with the mean log loss
// of its links.
func Train(ctx context.Context, logs []*Log, course Course, report func(epoch int, loss float64)) (*affinity.Network, error) {
	random := rand.New(rand.NewPCG(course.Seed, 1)) //nolint:gosec // lessons are no secrets
	communities := byCommunity(logs)
	trainer := affinity.NewTrainer(course.Seed)
	for epoch := range course.Epochs {
		all := lessons(communities, random)
		if len(all) == 0 {
			return nil, fmt.Errorf("%w: none of the logs is annotated; name logs with \"links\"", ErrInput)
		}
		loss, rows := 0.0, 0
		for k, l := range all {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("train: %w", err)
			}
			lost, learnt := trainer.Learn(l.show(course.History, random))
			loss, rows = loss+lost, rows+learnt
			done := (float64(epoch) + float64(k)/float64(len(all))) / float64(course.Epochs)
			trainer.Step(course.Rate * max(1-done, slowest))
		}
		report(epoch, loss/float64(max(rows, 1)))
	}
	return trainer.Network(), nil
}
