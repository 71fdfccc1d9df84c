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

// breakerSettings make calls fail at once, for a while, after three in a row got no
// answer. Then one call tries whether Redis is back.
func breakerSettings(pause time.Duration) gobreaker.Settings {
	const patience = 3
	return gobreaker.Settings{
		Timeout:     pause,
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= patience },
		IsSuccessful: func(err error) bool {
			var refusal goredis.Error
			return err == nil || errors.As(err, &refusal) // a refusal is an answer
		},
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
	}
}

// call bounds a call and classifies its error. The store is unavailable whether Redis
// is away or refuses.
func (d *DB) call(ctx context.Context, do func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	_, err := d.breaker.Execute(func() (any, error) { return nil, do(bounded) })
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("ask Redis: %w", ctx.Err())
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return fmt.Errorf("%w: Redis: %w", store.ErrUntried, err)
	case goredis.IsOOMError(err):
		return fmt.Errorf("%w: Redis: %w", store.ErrFull, err)
	default:
		return fmt.Errorf("%w: Redis: %w", store.ErrUnavailable, err)
	}
}
