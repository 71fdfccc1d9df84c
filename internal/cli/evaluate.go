package cli

import (
	"context"
	"errors"

	"heddle/internal/evaluation"
)

// eval measures how well contexts are chosen.
func eval(ctx context.Context, args []string, p Process) error {
	return misused(evaluation.Eval(ctx, args, evaluation.Streams{Out: p.Stdout, Err: p.Stderr}))
}

// train fits the weights of the link model.
func train(ctx context.Context, args []string, p Process) error {
	return misused(evaluation.TrainCommand(ctx, args, evaluation.Streams{Out: p.Stdout, Err: p.Stderr}))
}

// misused tells faults of what heddle was given from those that happened.
func misused(err error) error {
	if errors.Is(err, evaluation.ErrInput) {
		return misuseError{err}
	}
	return err
}
