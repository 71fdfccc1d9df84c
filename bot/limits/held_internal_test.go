package limits

import (
	"fmt"
	"testing"
	"time"

	"heddle/internal/heaptest"
	"heddle/store"
)

func TestWhatIsHeldOfBudgets(t *testing.T) {
	heaptest.AtMost(t, "what people used of their limits", func() any {
		l, now := newLocal(), time.Now()
		for n := range 4 * mostBudgets {
			now = now.Add(time.Second)
			l.settle(now, []store.Use{{Budget: fmt.Sprintf("person.%019d.tokens.hour.%010d", n, n), Amount: 1, Most: 100, TTL: time.Hour}})
		}
		if len(l.used) > mostBudgets+3600 {
			t.Errorf("%d budgets are held, want those of an hour at most", len(l.used))
		}
		return l
	})
}
