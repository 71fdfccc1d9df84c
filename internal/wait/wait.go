// Package wait pauses goroutines without outliving their contexts.
package wait

import (
	"context"
	"time"
)

// For returns nil once d has passed, or the error of ctx if ctx ends first.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Until waits until a value can be received from signal or signal is closed, but not
// for longer than d. It returns ctx's error as soon as ctx ends before.
func Until(ctx context.Context, signal <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-signal:
		return nil
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
