package limits

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/store"
)

// local counts how much this process has used of each budget. It may be used by several
// goroutines at once. A budget is that of one window, so nothing has to end.
//
// mu guards used.
type local struct {
	mu   sync.Mutex
	used *lru.Cache[string, int64]
}

// mostBudgets bounds the budgets that are counted; the one used least is dropped.
const mostBudgets = 4096

func newLocal() *local {
	used, _ := lru.New[string, int64](mostBudgets) // the size is positive
	return &local{used: used}
}

// take takes all uses, or none. It returns store.Applied, or the index of the first use
// that does not fit.
func (l *local) take(uses []store.Use) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, use := range uses {
		if used, _ := l.used.Get(use.Budget); used+use.Amount > use.Most {
			return i
		}
	}
	l.addLocked(uses)
	return store.Applied
}

// settle adds the amounts of uses, which may be negative.
func (l *local) settle(uses []store.Use) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addLocked(uses)
}

func (l *local) addLocked(uses []store.Use) {
	for _, use := range uses {
		used, _ := l.used.Get(use.Budget)
		l.used.Add(use.Budget, max(0, used+use.Amount))
	}
}
