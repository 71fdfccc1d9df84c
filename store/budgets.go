package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// Budgets counts how much of each limit is used, across processes and restarts.
type Budgets struct{ base *base }

// Use is an amount of one budget.
type Use struct {
	Budget string // name of the budget; at most 100 bytes
	Amount int64
	Most   int64         // size of the budget; 0: unbounded
	TTL    time.Duration // how long the budget is remembered
}

// scopeBudgets holds all budgets. They share a scope so that one change can take from
// several.
const scopeBudgets Scope = "_budgets"

// Take takes each use from its budget, or none of them. It returns Applied, or the
// index of the first use for which too little is left in the budget.
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

// Held is returned by TakeUnheld while one of the holds lasts.
const Held = -2

// Hold makes TakeUnheld take nothing for ttl if it is called with this hold.
func (b *Budgets) Hold(ctx context.Context, hold string, ttl time.Duration) error {
	return b.base.apply(ctx, "hold budgets", Change{scopeBudgets, []Op{{Kind: OpPut, Name: hold, Value: "1", TTL: ttl}}})
}

// TakeUnheld takes a use from its budget and returns Applied, or 0 if too little is
// left. While one of the holds lasts it takes nothing and returns Held. The budget is
// full again use.TTL after it was first taken from. The engine's clock measures that
// time, so processes need not agree on theirs.
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

// Used returns how much of each budget is used, in the order of budgets.
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
		used[i], _ = strconv.ParseInt(string(value), 10, 64) // an absent value counts as 0
	}
	return used, nil
}

// Settle adds the amounts of uses, which may be negative, to what was taken. It ignores
// the sizes of the budgets, because what was used cannot be refused any more.
func (b *Budgets) Settle(ctx context.Context, uses ...Use) error {
	corrected := make([]Use, 0, len(uses))
	for _, use := range uses {
		use.Most = 0
		corrected = append(corrected, use)
	}
	_, err := b.Take(ctx, corrected...)
	return err
}
