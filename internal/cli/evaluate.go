package cli

import (
	"context"
	"errors"

	"heddle/internal/evaluation"
)

// eval measures how well contexts are chosen.
func eval(ctx context.Context, args []string, p Process) error {
	return evaluate(ctx, "eval", evaluation.Eval, args, p)
}

// train fits the weights of the link model.
func train(ctx context.Context, args []string, p Process) error {
	return evaluate(ctx, "train", evaluation.TrainCommand, args, p)
}

// evaluate runs the command called name, which is part of package evaluation.
func evaluate(ctx context.Context, name string, run func(context.Context, []string, evaluation.Streams) error, args []string, p Process) error {
	c, err := find(name)
	if err != nil {
		return err
	}
	err = run(ctx, args, evaluation.Streams{Out: p.Stdout, Err: p.Stderr, Usage: c.usage()})
	if errors.Is(err, evaluation.ErrInput) {
		return misuseError{err}
	}
	return err
}
