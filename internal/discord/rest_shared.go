package discord

import (
	"context"
	"time"
)

// Shared is what all processes of one bot may ask of Discord together.
type Shared interface {
	// Take takes one request, or returns how long there is none to take. After an error,
	// as when the other processes cannot be reached, the request may be made.
	Take(ctx context.Context) (wait time.Duration, err error)
}

// awaitShared waits until all processes together may make one more request, or until
// ctx ends.
func (r *REST) awaitShared(ctx context.Context, l lane) error {
	if r.shared == nil || !l.global {
		return nil
	}
	for {
		wait, err := r.shared.Take(ctx)
		if err != nil {
			return ctx.Err() // else the limit of this process alone has to do
		}
		if wait <= 0 {
			return nil
		}
		if err := waitWithin(ctx, wait); err != nil {
			return err
		}
	}
}
