// Package wait pauses goroutines without outliving their contexts.
package wait

import (
	"context"
	"sync"
	"time"
)

// For returns nil once d has passed, or the error of ctx if ctx ends first.
func For(ctx context.Context, d time.Duration) error { return Until(ctx, nil, d) }

// Until waits until a value can be received from signal or signal is closed, but not
// for longer than d. It returns ctx's error as soon as ctx ends before.
func Until(ctx context.Context, signal <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-signal: // never, if it is nil
		return nil
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Later calls do on a goroutine of its own once d has passed, unless ctx ends or stop is
// called before. The context of do ends with ctx and with stop. stop waits until do has
// returned. It may be called more than once, but not by do.
//
// Until d has passed there is no goroutine. That suits what is nearly always stopped
// before it is due: on the way of a mention, starting a goroutine costs more than a timer.
func Later(ctx context.Context, d time.Duration, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Add(1)
	timer := time.AfterFunc(d, func() {
		defer running.Done()
		if ctx.Err() == nil {
			do(ctx)
		}
	})
	return func() {
		cancel()
		if timer.Stop() {
			running.Done()
		}
		running.Wait()
	}
}
