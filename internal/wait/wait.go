// Package wait holds the one wait of the program that is nothing but a wait.
package wait

import (
	"context"
	"time"
)

// For waits for d, and returns ctx's error as soon as ctx ends before.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // callers say what they waited for
	}
}
