package limits

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"heddle/bot/work"
	"heddle/llm"
	"heddle/store"
)

// Price returns the cost of a model's tokens, and reports whether it is known.
type Price func(model string, usage llm.Usage) (cost float64, known bool)

// Ledger counts the tokens and the cost of requests to the model, for the asker, their
// guild and everybody together. Every charged request is counted. Counting does not
// wait for the store. The methods may be called from any goroutine.
type Ledger struct {
	spending *store.Budgets
	price    Price
	writes   *work.Writes
}

// newLedger returns a Ledger. Without a price it counts only tokens. Nothing is stored
// before Run is called.
func newLedger(spending *store.Budgets, price Price, log *slog.Logger) *Ledger {
	return &Ledger{spending, price, work.NewWrites(log)}
}

// Run stores the counts until Close is called and everything is stored, or until ctx
// ends.
func (l *Ledger) Run(ctx context.Context) { l.writes.Run(ctx) }

// Close makes Run return once everything is stored.
func (l *Ledger) Close() { l.writes.Close() }

// Of returns the tokens and the cost of somebody's requests, on the day of at and in
// its month. It includes every request that was settled before the call.
func (l *Ledger) Of(ctx context.Context, at time.Time, who store.Spender) (day, month store.Spent, err error) {
	l.writes.Flush(ctx)
	day, month, err = l.spending.Spending(ctx, at, who)
	if err != nil {
		return day, month, fmt.Errorf("read the ledger: %w", err)
	}
	return day, month, nil
}

// settled counts one request.
func (l *Ledger) settled(who Who, at time.Time, spent llm.Spent) {
	if spent.Usage == (llm.Usage{}) {
		return
	}
	counted := store.Spent{
		Prompt: int64(spent.Usage.Prompt), Cached: int64(spent.Usage.Cached), Completion: int64(spent.Usage.Completion),
	}
	if l.price != nil {
		const micros = 1e6
		cost, _ := l.price(spent.Model, spent.Usage)
		counted.Micros = int64(math.Round(cost * micros))
	}
	l.add(who, at, counted)
}

// answered counts one answer.
func (l *Ledger) answered(who Who, at time.Time) {
	l.add(who, at, store.Spent{Answers: 1})
}

func (l *Ledger) add(who Who, at time.Time, spent store.Spent) {
	by := []store.Spender{{}, {Person: who.Person}}
	if who.Guild != 0 {
		by = append(by, store.Spender{Guild: who.Guild})
	}
	l.writes.Add(func(ctx context.Context) error { return l.spending.Spend(ctx, at, spent, by...) })
}
