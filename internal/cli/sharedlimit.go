package cli

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	"heddle/config"
	"heddle/internal/discord"
	"heddle/store"
)

// Discord grants a bot 50 requests in a second that begins with the first of them. Of
// these windows at most eleven touch such a second, so that 44 requests fall into it.
const (
	sharedWindow = 100 * time.Millisecond
	sharedMost   = 4 // in a window
)

// Discord bans an address after 10,000 refused requests in ten minutes. Any ten minutes
// touch two of these windows.
const (
	refusedWindow = 10 * time.Minute
	refusedMost   = 2000 // in a window
)

// sharedLimit counts the requests of all processes in the store that they share.
type sharedLimit struct{ budgets *store.Budgets }

// newSharedLimit returns the limit that processes share through Redis; nil without it.
func newSharedLimit(c config.Config, stored *store.Store) discord.Shared { //nolint:ireturn // nil, or a limit
	if c.RedisURL == "" {
		return nil
	}
	return sharedLimit{stored.Budgets}
}

// Take implements discord.Shared.
func (s sharedLimit) Take(ctx context.Context, route string) (time.Duration, error) {
	return s.take(ctx, []string{holdOf(""), holdOf(route)}, "discord.", sharedWindow, sharedMost)
}

// TakeSpare implements discord.Shared.
func (s sharedLimit) TakeSpare(ctx context.Context, route string) (time.Duration, error) {
	return s.take(ctx, []string{holdOf(""), holdOf(route)}, "discord.", sharedWindow, sharedMost/2)
}

// Exhausted implements discord.Shared.
func (s sharedLimit) Exhausted(ctx context.Context, route string, wait time.Duration) error {
	return s.budgets.Hold(ctx, holdOf(route), wait)
}

// holdOf names what holds requests to a route, or all of them if it is empty.
func holdOf(route string) string { return "held." + route }

// Refused implements discord.Shared.
func (s sharedLimit) Refused(ctx context.Context) (time.Duration, error) {
	return s.take(ctx, nil, "refused.", refusedWindow, refusedMost)
}

// take takes one of what a window of time has, or returns how long it still lasts. While one
// of the holds lasts it takes nothing.
func (s sharedLimit) take(ctx context.Context, holds []string, budget string, window time.Duration, most int64) (time.Duration, error) {
	now := time.Now()
	begun := now.Truncate(window)
	failed, err := s.budgets.TakeUnheld(ctx, holds, store.Use{
		Budget: budget + strconv.FormatInt(begun.UnixMilli(), 36), Amount: 1, Most: most, TTL: window + time.Minute,
	})
	if err != nil || failed == store.Applied {
		return 0, err
	}
	spread := rand.N(sharedWindow / 2) //nolint:gosec // it spreads load
	if failed == store.Held {          // for how long is not known here
		return 2*sharedWindow + spread, nil
	}
	return begun.Add(window).Sub(now) + spread, nil
}
