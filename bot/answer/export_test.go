package answer

import (
	"context"

	"heddle/graph"
)

// Holds claims the answer to a question as a press does, and returns the error.
func Holds(ctx context.Context, deps Deps, question graph.MessageID) error {
	a := &Answerer{deps: deps}
	q := Question{Cause: Pressed}
	q.ID = question
	c, err := a.claim(ctx, &q)
	if err == nil {
		_, err = c.release(ctx)
	}
	return err
}
