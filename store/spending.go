package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"heddle/graph"
)

// Spending counts the tokens and the cost of answers for each person, each guild and
// heddle as a whole, by day and month in UTC. It contains only ids and numbers.
type Spending struct{ base *base }

// Spending returns the part of a store that counts spending.
func (s *Store) Spending() *Spending { return &Spending{s.base} }

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

// scopeSpending holds all counters.
const scopeSpending Scope = "_spending"

// spendingFor is how long a counter is kept: longer than its month.
const spendingFor = 40 * 24 * time.Hour

// Add adds spent to the counters of spenders, for the day and the month of at.
func (s *Spending) Add(ctx context.Context, at time.Time, spent Spent, by ...Spender) error {
	var ops []Op
	for _, who := range by {
		for _, period := range periods(at) {
			names := who.counters(period)
			for i, amount := range spent.amounts() {
				if amount > 0 {
					ops = append(ops, Op{Kind: OpCount, Name: names[i], Value: strconv.FormatInt(amount, 10), TTL: spendingFor})
				}
			}
		}
	}
	return s.base.apply(ctx, "count what an answer took", Change{scopeSpending, ops})
}

// Of returns the spending of who on the day of at and in its month.
func (s *Spending) Of(ctx context.Context, at time.Time, who Spender) (day, month Spent, err error) {
	var keys []Key
	for _, period := range periods(at) {
		for _, name := range who.counters(period) {
			keys = append(keys, Key{scopeSpending, name})
		}
	}
	values, err := s.base.get(ctx, keys...)
	if err != nil {
		return day, month, fmt.Errorf("read spending: %w", err)
	}
	counts := make([]int64, len(values))
	for i, value := range values {
		counts[i], _ = strconv.ParseInt(string(value), 10, 64) // an absent value counts as 0
	}
	half := len(counts) / 2
	return spentOf(counts[:half]), spentOf(counts[half:]), nil
}

// periods returns the names of the day and the month of a time.
func periods(at time.Time) []string {
	return []string{at.UTC().Format("20060102"), at.UTC().Format("200601")}
}

func (s Spender) counters(period string) []string {
	names := make([]string, len(Spent{}.amounts()))
	for i := range names {
		names[i] = fmt.Sprintf("%d.%d.%s.%d", s.Person, s.Guild, period, i)
	}
	return names
}

func (s Spent) amounts() []int64 {
	return []int64{s.Answers, s.Prompt, s.Cached, s.Completion, s.Micros}
}

func spentOf(counts []int64) Spent {
	return Spent{Answers: counts[0], Prompt: counts[1], Cached: counts[2], Completion: counts[3], Micros: counts[4]}
}
