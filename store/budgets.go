package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// Budgets counts what is used of limits, across processes and restarts.
type Budgets struct{ base *base }

// Use is an amount of one budget.
type Use struct {
	Budget string // names it; at most 100 bytes
	Amount int64
	Most   int64         // of which the budget consists; 0: any number
	TTL    time.Duration // how long the budget is remembered
}

// scopeBudgets holds all budgets, so that any of them are taken from in one step.
const scopeBudgets Scope = "_budgets"

// Take takes every use from its budget, or none. It returns Applied, or the index of
// the first use of which the budget has too little left.
func (b *Budgets) Take(ctx context.Context, uses ...Use) (int, error) {
	if len(uses) == 0 {
		return Applied, nil
	}
	failed, err := b.base.change(ctx, Change{scopeBudgets, counts(uses)})
	if err != nil {
		return 0, fmt.Errorf("take from a budget: %w", err)
	}
	return failed[0], nil
}

func counts(uses []Use) []Op {
	ops := make([]Op, len(uses))
	for i, use := range uses {
		ops[i] = Op{Kind: OpCount, Name: use.Budget, Value: strconv.FormatInt(use.Amount, 10), Most: use.Most, TTL: use.TTL}
	}
	return ops
}

// Held is what TakeUnheld returns while one of the holds lasts.
const Held = -2

// Hold lets TakeUnheld take nothing for a time.
func (b *Budgets) Hold(ctx context.Context, hold string, ttl time.Duration) error {
	return b.base.apply(ctx, "hold budgets", Change{scopeBudgets, []Op{{Kind: OpPut, Name: hold, Value: "1", TTL: ttl}}})
}

// TakeUnheld takes a use from its budget, unless one of the holds lasts. It then takes
// nothing and returns Held. The budget is whole again once TTL has passed since it was first
// taken from, by the engine's clock: processes need not agree on the time.
func (b *Budgets) TakeUnheld(ctx context.Context, holds []string, use Use) (int, error) {
	var ops []Op
	for _, hold := range holds {
		ops = append(ops, Op{Kind: OpAbsent, Name: hold})
	}
	taken := counts([]Use{use})[0]
	taken.Kind = OpWindow
	failed, err := b.base.change(ctx, Change{scopeBudgets, append(ops, taken)})
	switch {
	case err != nil:
		return 0, fmt.Errorf("take from a budget: %w", err)
	case failed[0] == Applied:
		return Applied, nil
	case failed[0] < len(holds):
		return Held, nil
	default:
		return 0, nil
	}
}

// Used returns what is used of budgets, in their order.
func (b *Budgets) Used(ctx context.Context, budgets ...string) ([]int64, error) {
	keys := make([]Key, len(budgets))
	for i, budget := range budgets {
		keys[i] = Key{scopeBudgets, budget}
	}
	values, err := b.base.get(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("read budgets: %w", err)
	}
	used := make([]int64, len(values))
	for i, value := range values {
		used[i], _ = strconv.ParseInt(string(value), 10, 64) // nothing is 0
	}
	return used, nil
}

// Settle corrects what was taken by the amounts of uses, which may be negative. It has
// regard to no bound: what was used was used.
func (b *Budgets) Settle(ctx context.Context, uses ...Use) error {
	corrected := make([]Use, 0, len(uses))
	for _, use := range uses {
		use.Most = 0
		corrected = append(corrected, use)
	}
	_, err := b.Take(ctx, corrected...)
	return err
}
