package cli

import (
	"context"
	"errors"
	"strings"

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

// inputError is an evaluation.ErrInput without that mark in its text, a sentence for people.
type inputError struct{ error }

func (e inputError) Error() string {
	return strings.TrimPrefix(e.error.Error(), evaluation.ErrInput.Error()+": ")
}

func (e inputError) Unwrap() error { return e.error }

// evaluate runs the command called name, which is part of package evaluation. now
// returns the settings in effect; nil where they do not matter.
func evaluate(ctx context.Context, name string, run func(context.Context, []string, evaluation.Streams) error, now func() (graph.Options, error), args []string, p Process) error {
	c, err := find(name)
	if err != nil {
		return err
	}
	err = run(ctx, args, evaluation.Streams{Out: p.Stdout, Err: p.Stderr, Usage: c.usage(), Now: now})
	if errors.Is(err, evaluation.ErrInput) {
		return misuseError{inputError{err}}
	}
	return err
}
