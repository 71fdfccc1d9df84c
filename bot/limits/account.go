package limits

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"heddle/llm"
	"heddle/store"
)

// ExceededError means that a request to the model would exceed a limit.
type ExceededError struct {
	Whose Whose
	Of    Unit
	Until time.Time // when the limit's window ends; zero for OfAnswer
}

func (e *ExceededError) Error() string {
	return fmt.Sprintf("the limit %d of unit %d is reached until %s", e.Whose, e.Of, e.Until.UTC().Format(time.RFC3339))
}

// Account is what one answer is charged to, with all requests that it leads to. Its
// methods may be called from any goroutine.
//
// mu guards what follows it; it is never held over I/O.
type Account struct {
	limits   *Limits
	who      Who
	subjects []subject

	mu      sync.Mutex
	counted bool   // as a request
	first   *taken // by the request with which it was counted; nil if it was not
	charged int    // tokens
	kept    int    // tokens that others than the answer itself must leave
}

// Left returns how many tokens the answer may still take, and whether that is bounded.
func (a *Account) Left() (tokens int, bounded bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(0, a.limits.settings.Answer-a.charged), a.limits.settings.Answer > 0
}

// Keep keeps tokens of the answer free until the next call of Keep, which is made
// before the request that they are for.
func (a *Account) Keep(tokens int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept = tokens
}

// size is how many tokens a request takes at most.
type size struct {
	exact func() int
	quick func() int // no less than exact; nil if there is nothing quicker
}

// reserve charges a request at its upper bound in tokens.
func (a *Account) reserve(ctx context.Context, most size) (settle func(llm.Spent), err error) {
	taken, requests, err := a.takeMost(most)
	if err != nil {
		return nil, err
	}
	taken.charges = charges(a.subjects, a.limits.now(), requests, int64(taken.tokens))
	if err := a.charge(ctx, taken); err != nil {
		a.giveBack(requests, taken.tokens)
		return nil, err
	}
	if requests > 0 {
		a.mu.Lock()
		a.first = taken
		a.mu.Unlock()
	}
	return func(spent llm.Spent) { a.settle(ctx, taken, spent) }, nil
}

// takeMost takes the tokens of a request from the answer's own bound. If that bound is the
// only one, they are counted exactly only where they might not fit.
func (a *Account) takeMost(most size) (*taken, int64, error) {
	t := &taken{}
	switch {
	case a.countsTokens() || most.quick == nil:
		t.tokens = most.exact()
	case a.limits.settings.Answer > 0:
		t.tokens, t.exact = most.quick(), most.exact
	}
	requests, err := a.take(t.tokens)
	if err != nil && t.exact != nil {
		t.tokens, t.exact = t.exact(), nil
		requests, err = a.take(t.tokens)
	}
	return t, requests, err
}

// countsTokens reports whether the account has to leave tokens to others.
func (a *Account) countsTokens() bool {
	return slices.ContainsFunc(a.subjects, func(s subject) bool {
		return slices.ContainsFunc(s.limits, func(l Limit) bool { return l.Of == Tokens })
	})
}

// take takes tokens from the answer's own bound. It returns 1 if this is its first
// request, and 0 otherwise.
func (a *Account) take(tokens int) (requests int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if most := a.limits.settings.Answer; most > 0 && a.charged+tokens > most-a.kept {
		return 0, &ExceededError{Whose: OfAnswer, Of: Tokens}
	}
	a.charged += tokens
	if !a.counted {
		a.counted, requests = true, 1
	}
	return requests, nil
}

// giveBack takes back what take took.
func (a *Account) giveBack(requests int64, tokens int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.charged -= tokens
	a.counted = a.counted && requests == 0
}

// taken is what one request was charged.
type taken struct {
	charges []charge
	tokens  int
	exact   func() int // what tokens should be, where these were not counted exactly; else nil
	alone   bool       // see Limits.take
}

// charge takes from the budgets of everybody.
func (a *Account) charge(ctx context.Context, t *taken) error {
	if len(t.charges) == 0 {
		return nil
	}
	failed, alone, err := a.limits.take(ctx, uses(t.charges))
	t.alone = alone
	switch {
	case err != nil:
		return err
	case failed != store.Applied:
		over := &t.charges[failed]
		return &ExceededError{over.whose, over.of, over.until}
	default:
		return nil
	}
}

// settle counts what was spent in the ledger, and replaces the upper bound that was charged
// by it. A request of which that is not known stays charged at its bound, then counted
// exactly.
func (a *Account) settle(ctx context.Context, t *taken, spent llm.Spent) {
	a.limits.ledger.settled(a.who, a.limits.now(), spent)
	more := spent.Usage.Prompt + spent.Usage.Completion - t.tokens
	if !spent.Known {
		if t.exact == nil {
			return
		}
		more = t.exact() - t.tokens
	}
	if more == 0 {
		return
	}
	a.mu.Lock()
	a.charged += more
	a.mu.Unlock()
	a.correct(ctx, t, Tokens, int64(more))
}

// Answered counts in the ledger that the model answered whoever asked. Its tokens are
// counted without that.
func (a *Account) Answered() { a.limits.ledger.answered(a.who, a.limits.now()) }

// Unasked takes back that the answer counted as a request, as it was given without the
// model. Tokens that were spent on the way stay charged. A nil Account was not counted.
func (a *Account) Unasked(ctx context.Context) {
	if a == nil {
		return
	}
	a.mu.Lock()
	first := a.first
	a.counted, a.first = false, nil
	a.mu.Unlock()
	if first != nil {
		a.correct(ctx, first, Requests, -1)
	}
}

// correct adds an amount, which may be negative, to what was charged of a unit.
func (a *Account) correct(ctx context.Context, t *taken, of Unit, amount int64) {
	var corrected []store.Use
	for i := range t.charges {
		if t.charges[i].of != of {
			continue
		}
		use := t.charges[i].use
		use.Amount = amount
		corrected = append(corrected, use)
	}
	if len(corrected) == 0 {
		return
	}
	a.limits.local.settle(a.limits.now(), corrected)
	if !t.alone {
		a.limits.settle(ctx, corrected)
	}
}
