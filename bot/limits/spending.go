package limits

import (
	"context"
	"fmt"
	"math"
	"time"

	"heddle/llm"
	"heddle/store"
)

// Price returns the cost of a model's tokens, and reports whether it is known.
type Price func(model string, usage llm.Usage) (cost float64, known bool)

// Run stores what was spent until Close is called and everything is stored, or until ctx
// ends.
func (l *Limits) Run(ctx context.Context) { l.writes.Run(ctx) }

// Close makes Run return once everything is stored.
func (l *Limits) Close() { l.writes.Close() }

// Spent returns the tokens and the cost of somebody's requests, on the day of at and in
// its month. It includes every request that was settled before the call.
func (l *Limits) Spent(ctx context.Context, at time.Time, who store.Spender) (day, month store.Spent, err error) {
	l.writes.Flush(ctx)
	day, month, err = l.budgets.Spending(ctx, at, who)
	if err != nil {
		return day, month, fmt.Errorf("read what was spent: %w", err)
	}
	return day, month, nil
}

// settled returns what one request cost.
func (l *Limits) settled(spent llm.Spent) store.Spent {
	counted := store.Spent{
		Prompt: int64(spent.Usage.Prompt), Cached: int64(spent.Usage.Cached), Completion: int64(spent.Usage.Completion),
	}
	if l.price != nil {
		const micros = 1e6
		cost, _ := l.price(spent.Model, spent.Usage)
		counted.Micros = int64(math.Round(cost * micros))
	}
	return counted
}

// spend counts what was spent for the asker, their guild and everybody together. It does not
// wait for the store.
func (a *Account) spend(spent store.Spent) {
	at, by := a.limits.clock.Now(), []store.Spender{{}, {Person: a.who.Person}}
	if a.who.Guild != 0 {
		by = append(by, store.Spender{Guild: a.who.Guild})
	}
	a.limits.writes.Add(func(ctx context.Context) error { return a.limits.budgets.Spend(ctx, at, spent, by...) })
}
