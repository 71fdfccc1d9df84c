package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"heddle/graph"
)

// Budgets counts how much of each limit is used, and what answers took, across processes
// and restarts. It contains only ids and numbers.
type Budgets struct{ base *base }

// Use is an amount of one budget.
type Use struct {
	Budget string        // name of the budget; at most 100 bytes
	Amount int64         // may be negative
	Most   int64         // size of the budget; 0: unbounded
	TTL    time.Duration // how long the budget is remembered after it was first taken from
}

// scopeBudgets holds all budgets. They share a scope so that one transaction can take from
// several.
const scopeBudgets Scope = "_budgets"

func budgetName(budget string) string { return "b" + budget }

// Applied is what Take returns if it took everything.
const Applied = -1

// Take takes each use from its budget, or none of them. It returns Applied, or the index
// of the first use for which too little is left in the budget. A budget is full again
// Use.TTL after it was first taken from. The engine's clock measures that time, so
// processes need not agree on theirs. If the reply of the engine is lost, Take may take
// twice.
func (b *Budgets) Take(ctx context.Context, uses ...Use) (result int, err error) {
	if len(uses) == 0 {
		return Applied, nil
	}
	err = b.base.write(ctx, "take from a budget", scopeBudgets, func(t *tx) { result = t.use(uses) })
	return result, err
}

// use does what Take says.
func (t *tx) use(uses []Use) int {
	names := each(uses, func(use Use) string { return budgetName(use.Budget) })
	sums := make(map[string]int64, len(uses))
	for i, value := range t.get(names...) {
		sums[uses[i].Budget] = countIn(value)
	}
	for i, use := range uses {
		sums[use.Budget] = max(0, sums[use.Budget]+use.Amount)
		if use.Amount > 0 && use.Most > 0 && sums[use.Budget] > use.Most {
			return i
		}
	}
	for _, use := range uses {
		t.keep(budgetName(use.Budget), strconv.FormatInt(sums[use.Budget], 10), use.TTL)
	}
	return Applied
}

// countIn returns the number in a value; 0 if it is absent or damaged.
func countIn(value []byte) int64 {
	n, _ := strconv.ParseInt(string(value), 10, 64)
	return n
}

// Used returns how much of each budget is used, in the order of budgets.
func (b *Budgets) Used(ctx context.Context, budgets ...string) ([]int64, error) {
	values, err := b.base.values(ctx, scopeBudgets, each(budgets, budgetName)...)
	if err != nil {
		return nil, fmt.Errorf("read budgets: %w", err)
	}
	used := make([]int64, len(values))
	for i, value := range values {
		used[i] = countIn(value)
	}
	return used, nil
}

// Spent is the number of answers with their tokens and their cost.
type Spent struct {
	Answers                    int64
	Prompt, Cached, Completion int64 // tokens; Cached are among Prompt
	Micros                     int64 // millionths of the currency in which prices are set
}

// Spender identifies whose spending is counted: a person's, a guild's, or everybody's
// if it is zero.
type Spender struct {
	Person graph.UserID
	Guild  graph.GuildID
}

// spendingFor is how long spending is kept: longer than its month.
const spendingFor = 40 * 24 * time.Hour

// Spend adds spent to what spenders spent on the day and in the month of at, in UTC.
func (b *Budgets) Spend(ctx context.Context, at time.Time, spent Spent, by ...Spender) error {
	var names []string
	for _, who := range by {
		names = append(names, who.names(at)...)
	}
	if len(names) == 0 {
		return nil
	}
	return b.base.write(ctx, "count what an answer took", scopeBudgets, func(t *tx) {
		for i, value := range t.get(names...) {
			sum := spentIn(value)
			for k, amount := range spent.amounts() {
				*sum.amounts()[k] += *amount
			}
			t.put(names[i], sum.encode(), spendingFor)
		}
	})
}

// Spending returns the spending of who on the day of at and in its month.
func (b *Budgets) Spending(ctx context.Context, at time.Time, who Spender) (day, month Spent, err error) {
	values, err := b.base.values(ctx, scopeBudgets, who.names(at)...)
	if err != nil {
		return day, month, fmt.Errorf("read spending: %w", err)
	}
	return spentIn(values[0]), spentIn(values[1]), nil
}

// names returns the names of the entries for the day and the month of a time.
func (s Spender) names(at time.Time) []string {
	of := fmt.Sprintf("s%d.%d.", s.Person, s.Guild)
	return []string{of + at.UTC().Format("20060102"), of + at.UTC().Format("200601")}
}

func (s *Spent) amounts() []*int64 {
	return []*int64{&s.Answers, &s.Prompt, &s.Cached, &s.Completion, &s.Micros}
}

func (s *Spent) encode() string {
	return fmt.Sprintln(s.Answers, s.Prompt, s.Cached, s.Completion, s.Micros)
}

// spentIn is the inverse of encode. What is absent or damaged counts as nothing.
func spentIn(value []byte) (s Spent) {
	_, _ = fmt.Sscanln(string(value), &s.Answers, &s.Prompt, &s.Cached, &s.Completion, &s.Micros)
	return s
}
