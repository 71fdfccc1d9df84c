package discord

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrFenced is returned without a request being made if the Fence of the context does
// not allow the call any more.
var ErrFenced = errors.New("the right to write has ended")

// Fence returns the time until which calls may be made, or an error if they may not.
type Fence func() (until time.Time, err error)

type fenceKey struct{}

// Fenced returns a context for calls that may be made only while fence allows it. The
// fence is called right before each attempt, after all waits for rate limits. An
// attempt is cancelled at the time that fence returned.
func Fenced(ctx context.Context, fence Fence) context.Context {
	return context.WithValue(ctx, fenceKey{}, fence)
}

// fence returns the context of one attempt.
func fence(ctx context.Context) (context.Context, context.CancelFunc, error) {
	fence, fenced := ctx.Value(fenceKey{}).(Fence)
	if !fenced {
		return ctx, func() {}, nil
	}
	until, err := fence()
	if err != nil {
		return ctx, nil, fmt.Errorf("%w: %w", ErrFenced, err)
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	return ctx, cancel, nil
}
