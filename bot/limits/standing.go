package limits

import (
	"context"
	"fmt"
	"time"
)

// Standing is how much of a limit is used.
type Standing struct {
	Limit

	Whose Whose
	Used  int64
	Until time.Time // when the window ends and the count restarts
}

// Standings returns the use of all limits that apply to an asker.
func (l *Limits) Standings(ctx context.Context, who Who) ([]Standing, error) {
	now := l.now()
	var all []Standing
	var budgets []string
	for _, s := range l.subjects(ctx, who) {
		for _, limit := range s.limits {
			begin := now.Truncate(limit.Per)
			all = append(all, Standing{Limit: limit, Whose: s.whose, Until: begin.Add(limit.Per)})
			budgets = append(budgets, s.budget(limit, begin))
		}
	}
	used, err := l.budgets.Used(ctx, budgets...)
	if err != nil {
		return nil, fmt.Errorf("read what is used of limits: %w", err)
	}
	for i := range all {
		all[i].Used = min(used[i], all[i].Most)
	}
	return all, nil
}
