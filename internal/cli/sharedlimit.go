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

// sharedLimit counts the requests of all processes in the store that they share. How long a
// window lasts is up to the store, as the clocks of the processes' machines may differ.
type sharedLimit struct{ budgets *store.Budgets }

// Take implements discord.Shared. It takes one request of what a window has, or returns when
// to try again.
func (s sharedLimit) Take(ctx context.Context) (time.Duration, error) {
	failed, err := s.budgets.Take(ctx, store.Use{Budget: "discord", Amount: 1, Most: sharedMost, TTL: sharedWindow})
	if err != nil || failed == store.Applied {
		return 0, err
	}
	return sharedWindow/2 + rand.N(sharedWindow/2), nil //nolint:gosec // about what is left of the window; it spreads load
}
