package limits_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/internal/discord"
	"heddle/internal/errtest"
	"heddle/internal/roomtest"
	"heddle/llm"
	"heddle/store"
)

// TestWhatIsSpentCountsForEverybodyConcerned has two people be answered, one of them in a
// guild, and a request that used nothing.
func TestWhatIsSpentCountsForEverybodyConcerned(t *testing.T) {
	kept, log := roomtest.OpenStore(t), slog.New(slog.DiscardHandler)
	price := func(model string, usage llm.Usage) (float64, bool) {
		return float64(usage.Prompt) / 4, model == "test-model"
	}
	all := limits.New(kept.Budgets, guilds.New(nil), price, func(context.Context, *llm.Request) int { return 1 }, limits.Settings{}, new(discord.Clock), log)
	var running sync.WaitGroup
	running.Go(func() { all.Run(t.Context()) })
	t.Cleanup(func() { all.Close(); running.Wait() })
	for _, who := range []limits.Who{{Person: 1, Channel: 5, Guild: 7}, {Person: 2, Channel: 6}} {
		account := all.Open(t.Context(), who)
		settle := errtest.Must(all.Reserve(limits.With(t.Context(), account), &llm.Request{}))(t)
		settle(llm.Spent{Model: "test-model", Usage: llm.Usage{Prompt: 10, Cached: 4, Completion: 2}})
		account.Answered()
	}
	one := store.Spent{Answers: 1, Prompt: 10, Cached: 4, Completion: 2, Micros: 2_500_000}
	two := store.Spent{Answers: 2, Prompt: 20, Cached: 8, Completion: 4, Micros: 5_000_000}
	for who, want := range map[store.Spender]store.Spent{{Person: 1}: one, {Person: 2}: one, {Guild: 7}: one, {}: two, {Guild: 8}: {}} {
		day, month, err := all.Spent(t.Context(), time.Now(), who)
		if err != nil || day != want || month != want {
			t.Errorf("%+v spent %+v and %+v, %v, want %+v on the day and in the month", who, day, month, err, want)
		}
	}
}
