package train

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"heddle/graph/affinity"
	"heddle/internal/terminal"
	"heddle/lab/chatlog"
)

// Course configures how weights are fitted.
type Course struct {
	Epochs  int
	Rate    float64 // initial learning rate, which decreases to slowest times itself
	History int     // messages that a lesson shows before its last one
	// QuietSeed and BusySeed are the seeds of the two networks.
	QuietSeed, BusySeed uint64
	// Teachers is the number of networks that are trained first, from which the last
	// one learns.
	Teachers int

	seed     uint64 // of the network that is being trained
	teachers []*affinity.Network
}

// DefaultCourse returns the course with which the built-in weights were fitted.
// docs/context-quality.md says how the seeds were chosen.
func DefaultCourse() Course {
	return Course{Epochs: 4, Rate: 0.006, History: 100, QuietSeed: 4, BusySeed: 9, Teachers: 2}
}

// nearby is how far the built-in weights move towards weights learnt from few logs,
// from 0 to 1.
const nearby = 0.2

// gentle is the share of the learning rate that is used when starting from the built-in
// weights.
const gentle = 0.25

// slowest is the share of the learning rate that is left at the end.
const slowest = 0.01

// fewAnnotated is the number of annotated messages below which logs do not suffice to
// learn where conversations begin. With fewer, training starts from the built-in
// weights and stays near them.
const fewAnnotated = 20_000

// Train fits weights to logs: first the network for busy channels, then the one for quiet
// channels. For each it trains several networks from different starting points, and then one
// that learns from their mean and from the same logs. It is deterministic: the same logs in
// the same order and the same course result in the same weights. report is called after
// every lesson with the share of the work that is done, and the mean log loss per link so
// far in the epoch.
func Train(ctx context.Context, logs []*chatlog.Log, course Course, report func(done, loss float64)) (affinity.Weights, error) {
	switch {
	case chatlog.Sum(logs, (*chatlog.Log).Learnable) == 0:
		return affinity.Weights{}, terminal.Errorf("none of the logs shows what answers what; name logs with \"links\" or replies")
	case chatlog.Sum(logs, (*chatlog.Log).Annotated) < fewAnnotated:
		return course.adapt(ctx, logs, report)
	}
	course.seed = course.BusySeed
	busy, err := course.begin(ctx, func() []community { return busyCommunities(logs) }, half(report, 0))
	if err != nil {
		return affinity.Weights{}, err
	}
	course.seed = course.QuietSeed
	quiet, err := course.begin(ctx, func() []community { return byCommunity(logs) }, half(report, 1))
	return affinity.Weights{Quiet: quiet, Busy: busy}, err
}

// half returns what reports one of two halves of the work. part is 0 for the first and 1 for
// the second.
func half(report func(done, loss float64), part float64) func(done, loss float64) {
	return func(done, loss float64) { report((part+done)/2, loss) } //nolint:mnd // halves
}

// adapt fits weights to few logs. It starts from the built-in weights, learns from them
// and from the logs, and stays near them.
func (c Course) adapt(ctx context.Context, logs []*chatlog.Log, report func(done, loss float64)) (affinity.Weights, error) {
	builtIn, err := affinity.Default()
	if err != nil {
		return affinity.Weights{}, fmt.Errorf("read the weights built in: %w", err)
	}
	c.Rate *= gentle
	start := builtIn.Weights()
	c.seed = c.BusySeed
	busy, err := c.learnFrom(ctx, start.Busy, byCommunity(logs), half(report, 0))
	if err != nil {
		return affinity.Weights{}, err
	}
	c.seed = c.QuietSeed
	quiet, err := c.learnFrom(ctx, start.Quiet, byCommunity(logs), half(report, 1))
	if err != nil {
		return affinity.Weights{}, err
	}
	return affinity.Weights{Quiet: toward(start.Quiet, quiet, nearby), Busy: toward(start.Busy, busy, nearby)}, nil
}

// learnFrom fits a network that starts from another and has it as its teacher.
func (c Course) learnFrom(ctx context.Context, start *affinity.Network, communities []community, report func(done, loss float64)) (*affinity.Network, error) {
	c.teachers = []*affinity.Network{start}
	return c.train(ctx, communities, continued(start), report)
}

// begin fits a network from the beginning. It trains the teachers first, side by side.
func (c Course) begin(ctx context.Context, communities func() []community, report func(done, loss float64)) (*affinity.Network, error) {
	networks := uint64(c.Teachers) + 1 //nolint:gosec // not negative
	var mu sync.Mutex
	shares := map[uint64]float64{} // share of the work that is done, for each network
	trainOne := func(k uint64, teachers []*affinity.Network) (*affinity.Network, error) {
		one := c
		one.seed, one.teachers = c.seed*networks+k, teachers
		return one.train(ctx, communities(), newTrainer(one.seed), func(done, loss float64) {
			mu.Lock()
			defer mu.Unlock()
			shares[k] = done / float64(networks)
			sum := 0.0
			for _, share := range shares {
				sum += share
			}
			report(sum, loss)
		})
	}
	teachers := make([]*affinity.Network, c.Teachers)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for k := range teachers {
		group.Go(func() (err error) {
			teachers[k], err = trainOne(uint64(k), nil) //nolint:gosec // not negative
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err //nolint:wrapcheck // the error of train
	}
	return trainOne(networks-1, teachers)
}

// train fits one network.
func (c Course) train(ctx context.Context, communities []community, fitted *trainer, report func(done, loss float64)) (*affinity.Network, error) {
	random := rand.New(rand.NewPCG(c.seed, 1)) //nolint:gosec // lessons are no secrets
	for epoch := range c.Epochs {
		all := lessons(communities, random)
		loss, rows := 0.0, 0
		for k, l := range all {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("train: %w", err)
			}
			shown := l.show(c.History, random)
			shown.Teachers = c.teachers
			lost, learnt := fitted.learn(shown)
			loss, rows = loss+lost, rows+learnt
			done := (float64(epoch) + float64(k)/float64(len(all))) / float64(c.Epochs)
			fitted.step(c.Rate * max(1-done, slowest))
			report(done, loss/float64(max(rows, 1)))
		}
	}
	return fitted.network(), nil
}

// toward returns the network that lies the given share of the way to another one that was
// trained from it.
func toward(from, to *affinity.Network, share float32) *affinity.Network {
	between := *from
	move := func(u, theirs *affinity.Units) {
		for h := range u {
			u[h] += share * (theirs[h] - u[h])
		}
	}
	for i := range between.In {
		move(&between.In[i], &to.In[i])
	}
	move(&between.Bias, &to.Bias)
	move(&between.Out, &to.Out)
	return &between
}
