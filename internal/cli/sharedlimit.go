package cli

import (
	"context"
	"math/rand/v2"
	"time"

	"heddle/store"
)

// Discord grants a bot 50 requests in a second that begins with the first of them. Of
// these windows, which begin with their first request, too, at most eleven touch such a
// second, so that 44 requests fall into it.
const (
	sharedWindow = 100 * time.Millisecond
	sharedMost   = 4 // in a window
)

// Discord bans an address after 10,000 refused requests in ten minutes. Any ten minutes
// touch two of these windows.
const (
	refusedWindow = 10 * time.Minute
	refusedMost   = 2000 // in a window
	refusedPause  = time.Minute
)

// sharedLimit counts the requests of all processes in the store that they share. How long a
// window lasts is up to the store, as the clocks of the processes' machines may differ.
type sharedLimit struct{ budgets *store.Budgets }

// Exhausted implements discord.Shared.
func (s sharedLimit) Exhausted(ctx context.Context, route string, wait time.Duration) error {
	return s.budgets.Hold(ctx, holdOf(route), wait)
}

// holdOf names what holds requests to a route, or all of them if it is empty.
func holdOf(route string) string { return "held." + route }

// Refused implements discord.Shared.
func (s sharedLimit) Refused(ctx context.Context) (time.Duration, error) {
	failed, err := s.budgets.TakeUnheld(ctx, nil, store.Use{Budget: "refused", Amount: 1, Most: refusedMost, TTL: refusedWindow})
	if err != nil || failed == store.Applied {
		return 0, err
	}
	return refusedPause, nil // then one more is refused, or the window is over
}

// Take implements discord.Shared. It takes one request to a route of what a window has, or
// returns when to try again.
func (s sharedLimit) Take(ctx context.Context, route string) (time.Duration, error) {
	failed, err := s.budgets.TakeUnheld(ctx, []string{holdOf(""), holdOf(route)}, store.Use{
		Budget: "discord", Amount: 1, Most: sharedMost, TTL: sharedWindow,
	})
	if err != nil || failed == store.Applied {
		return 0, err
	}
	spread := rand.N(sharedWindow / 2) //nolint:gosec // it spreads load
	if failed == store.Held {          // for how long is not known here
		return 2*sharedWindow + spread, nil
	}
	return sharedWindow/2 + spread, nil // about what is left of the window
}
