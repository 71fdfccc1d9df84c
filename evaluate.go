package main

import (
	"context"
	"errors"

	"heddle/internal/evaluation"
)

// eval measures how well contexts are chosen.
func eval(ctx context.Context, args []string, p process) error {
	return misused(evaluation.Eval(ctx, args, evaluation.Streams{Out: p.stdout, Err: p.stderr}))
}

// train fits the weights of the link model.
func train(ctx context.Context, args []string, p process) error {
	return misused(evaluation.TrainCommand(ctx, args, evaluation.Streams{Out: p.stdout, Err: p.stderr}))
}

// misused tells faults of what heddle was given from those that happened.
func misused(err error) error {
	if errors.Is(err, evaluation.ErrInput) {
		return misuseError{err}
	}
	return err
}
