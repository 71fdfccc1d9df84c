package cli

import (
	"context"
	"errors"

	"heddle/graph"
	"heddle/internal/evaluation"
)

// eval measures how well contexts are chosen.
func eval(ctx context.Context, args []string, p Process) error {
	now := func() (graph.Options, error) {
		c, err := p.load()
		if err != nil {
			return graph.Options{}, err
		}
		return expansion(c)
	}
	return evaluate(ctx, "eval", evaluation.Eval, now, args, p)
}

// train fits the weights of the link model.
func train(ctx context.Context, args []string, p Process) error {
	return evaluate(ctx, "train", evaluation.TrainCommand, nil, args, p)
}

// evaluate runs the command called name, which is part of package evaluation. now
// returns the settings in effect; nil where they do not matter.
func evaluate(ctx context.Context, name string, run func(context.Context, []string, evaluation.Streams) error, now func() (graph.Options, error), args []string, p Process) error {
	c, err := find(name)
	if err != nil {
		return err
	}
	err = run(ctx, args, evaluation.Streams{Out: p.Stdout, Err: p.Stderr, Usage: c.usage(), Now: now})
	if _, correctable := errors.AsType[*evaluation.InputError](err); correctable {
		return misuseError{err}
	}
	return err
}
