package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/sony/gobreaker/v2"

	"heddle/store"
)

// breakerSettings returns the settings of a circuit breaker. After three calls in a row
// without an answer it opens for pause, in which calls fail at once. Then one call
// tests whether Redis is back.
func breakerSettings(pause time.Duration) gobreaker.Settings {
	const patience = 3
	return gobreaker.Settings{
		Timeout:     pause,
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= patience },
		IsSuccessful: func(err error) bool {
			var refusal goredis.Error
			return err == nil || errors.As(err, &refusal) // an error that Redis returns is an answer
		},
		IsExcluded: func(err error) bool { return errors.Is(err, errEnded) },
	}
}

// errEnded means that the context of the caller ended before Redis answered. That says
// nothing about Redis.
var errEnded = errors.New("the caller waits no longer")

// ended returns why ctx has ended, and nil as long as it has not. A connection that
// shares the deadline of ctx may fail a moment before ctx says that it has ended.
func ended(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// errCluster means that a single server was expected at the address of a Cluster.
var errCluster = errors.New("the server belongs to a Cluster: REDIS_URL must begin with redis+cluster:, or with rediss+cluster: for TLS")

// call makes a call with a timeout and classifies its error. The error wraps
// store.ErrUnavailable both if Redis does not answer and if it answers with an error. It
// is that of ctx if ctx ended first.
func (d *DB) call(ctx context.Context, do func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	_, err := d.breaker.Execute(func() (any, error) {
		err := do(bounded)
		if why := ended(ctx); err != nil && why != nil {
			return nil, fmt.Errorf("%w: %w", errEnded, why)
		}
		return nil, err
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errEnded):
		return fmt.Errorf("ask Redis: %w", err)
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return fmt.Errorf("%w: Redis: %w", store.ErrUntried, err)
	case goredis.IsOOMError(err):
		return fmt.Errorf("%w: Redis: %w", store.ErrFull, err)
	case goredis.HasErrorPrefix(err, "MOVED") && !d.clustered:
		return fmt.Errorf("%w: Redis: %w (%w)", store.ErrUnavailable, errCluster, err)
	default:
		return fmt.Errorf("%w: Redis: %w", store.ErrUnavailable, err)
	}
}
