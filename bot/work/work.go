// Package work holds what all packages below bot need for work that may end early: the
// causes with which contexts end, leases, and the time that is left to finish.
package work

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"heddle/internal/wait"
	"heddle/store"
)

// The causes with which the context of work ends.
var (
	// ErrShutdown is the cause if heddle stops.
	ErrShutdown = errors.New("heddle is stopping")
	// ErrLost is the cause if the lease has ended and another process may have taken
	// over.
	ErrLost = errors.New("the claim was lost")
	// ErrUnsent means that Discord did not accept an answer, but may do so later.
	ErrUnsent = errors.New("the answer could not be sent yet")
	// ErrEdited is the cause if the question was edited, so that it is answered anew.
	ErrEdited = errors.New("the question was edited")
	// ErrQuestionGone is the cause if the question was deleted.
	ErrQuestionGone = errors.New("the question was deleted")
)

// The reasons why the question of an asker is not answered.
var (
	// ErrOptedOut means that a question is by somebody who opted out.
	ErrOptedOut = errors.New("the question is by somebody who opted out")
	// ErrNotPermitted means that the operator does not let somebody ask there.
	ErrNotPermitted = errors.New("the asker is not permitted to ask here")
	// ErrPaused means that an operator has paused heddle.
	ErrPaused = errors.New("an operator has paused heddle")
)

// IsQuestionGone reports whether work under ctx has ended because its question was
// deleted.
func IsQuestionGone(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrQuestionGone) }

// IsLost reports whether work under ctx has ended because another process may have
// taken it over.
func IsLost(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrLost) }

// StoreTimeout bounds writes to the store after the context of the work itself has
// ended.
const StoreTimeout = 30 * time.Second

// endingTimeout bounds the attempts to send the end of an answer.
const endingTimeout = 30 * time.Second

// Ending returns a context for finishing work under ctx. It goes on for flush after ctx
// has ended, for example because of a shutdown. It ends at once if ctx ends because its
// claim was lost, and after 30 seconds in any case.
func Ending(ctx context.Context, flush time.Duration) (context.Context, context.CancelFunc) {
	if IsLost(ctx) {
		return context.WithCancel(ctx)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endingTimeout)
	stop := context.AfterFunc(ctx, func() {
		if IsLost(ctx) || wait.For(ending, flush) == nil {
			cancel()
		}
	})
	return ending, func() { stop(); cancel() }
}

// Outliving returns a context for cleaning up after work under ctx whose question was
// deleted. It ends only if the claim is lost.
func Outliving(ctx context.Context) context.Context {
	if IsQuestionGone(ctx) {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// LogLevel returns the level at which to log an error of the store. It is Debug for
// errors of an outage, because the store logs the outage itself.
func LogLevel(err error) slog.Level {
	if errors.Is(err, store.ErrUnavailable) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}
