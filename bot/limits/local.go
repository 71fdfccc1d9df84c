package limits

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/store"
)

// local counts how much this process has used of each budget. It may be used by several
// goroutines at once.
//
// mu guards used.
type local struct {
	mu   sync.Mutex
	used *lru.Cache[string, counted]
}

// counted is the use of a budget until its end.
type counted struct {
	amount int64
	until  time.Time
}

// mostBudgets bounds the budgets that are counted; the one used least is dropped.
const mostBudgets = 4096

func newLocal() *local {
	used, _ := lru.New[string, counted](mostBudgets) // the size is positive
	return &local{used: used}
}

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
	if c, known := l.used.Get(budget); known && now.Before(c.until) {
		return c.amount
	}
	return 0
}

func (l *local) addLocked(now time.Time, uses []store.Use) {
	for _, use := range uses {
		l.used.Add(use.Budget, counted{max(0, l.usedLocked(now, use.Budget)+use.Amount), now.Add(use.TTL)})
	}
}
