package discord

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrFenced is returned, without a request, for a call that its caller may no longer
// make.
var ErrFenced = errors.New("the right to write has ended")

// Fence returns until when calls may be made, or the error that they may not.
type Fence func() (until time.Time, err error)

type fenceKey struct{}

// Fenced returns a context for calls that may be made only as long as fence allows. The
// fence is asked right before each attempt, after all waits for rate limits, and an
// attempt ends with the time that it returns. A fence of ctx holds too.
func Fenced(ctx context.Context, fence Fence) context.Context {
	outer := fenceOf(ctx)
	if outer == nil {
		return context.WithValue(ctx, fenceKey{}, fence)
	}
	both := func() (time.Time, error) {
		until, err := outer()
		if err != nil {
			return until, err
		}
		other, err := fence()
		if err == nil && other.Before(until) {
			until = other
		}
		return until, err
	}
	return context.WithValue(ctx, fenceKey{}, Fence(both))
}

func fenceOf(ctx context.Context) Fence {
	fence, _ := ctx.Value(fenceKey{}).(Fence)
	return fence
}

// fence returns the context of one attempt.
func fence(ctx context.Context) (context.Context, context.CancelFunc, error) {
	fence := fenceOf(ctx)
	if fence == nil {
		return ctx, func() {}, nil
	}
	until, err := fence()
	if err != nil {
		return ctx, nil, fmt.Errorf("%w: %w", ErrFenced, err)
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	return ctx, cancel, nil
}
