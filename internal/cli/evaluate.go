package cli

import (
	"context"
	"errors"

	"heddle/graph"
	"heddle/internal/chatlog"
	"heddle/internal/evaluation"
	"heddle/internal/training"
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
	return evaluate(ctx, "eval", evaluation.Command(now), args, p)
}

// train fits the weights of the link model.
func train(ctx context.Context, args []string, p Process) error {
	return evaluate(ctx, "train", training.Command, args, p)
}

// evaluate runs the command called name, which reads logs.
func evaluate(ctx context.Context, name string, run chatlog.Command, args []string, p Process) error {
	c, err := find(name)
	if err != nil {
		return err
	}
	err = run(ctx, args, chatlog.Streams{Out: p.Stdout, Err: p.Stderr, Usage: c.usage()})
	if _, correctable := errors.AsType[*chatlog.InputError](err); correctable {
		return misuseError{err}
	}
	return err
}
