package limits

import (
	"sync"
	"time"

	"heddle/store"
)

// local counts how much this process has used of each budget. It may be used by several
// goroutines at once.
//
// mu guards used.
type local struct {
	mu   sync.Mutex
	used map[string]counted
}

// counted is the use of a budget until its end.
type counted struct {
	amount int64
	until  time.Time
}

// mostBudgets is the number of counted budgets at which those that have ended are
// dropped.
const mostBudgets = 4096

func newLocal() *local { return &local{used: make(map[string]counted)} }

// take takes all uses, or none. It returns store.Applied, or the index of the first use
// that does not fit.
func (l *local) take(now time.Time, uses []store.Use) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, use := range uses {
		if l.usedLocked(now, use.Budget)+use.Amount > use.Most {
			return i
		}
	}
	l.addLocked(now, uses)
	return store.Applied
}

// settle adds the amounts of uses, which may be negative.
func (l *local) settle(now time.Time, uses []store.Use) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addLocked(now, uses)
}

func (l *local) usedLocked(now time.Time, budget string) int64 {
	if c := l.used[budget]; now.Before(c.until) {
		return c.amount
	}
	return 0
}

func (l *local) addLocked(now time.Time, uses []store.Use) {
	if len(l.used) >= mostBudgets {
		for budget, c := range l.used {
			if !now.Before(c.until) {
				delete(l.used, budget)
			}
		}
	}
	for _, use := range uses {
		l.used[use.Budget] = counted{max(0, l.usedLocked(now, use.Budget)+use.Amount), now.Add(use.TTL)}
	}
}
