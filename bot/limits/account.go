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
	Until time.Time // when the limit's window ends; zero if Whose is OfAnswer
}

func (e *ExceededError) Error() string {
	return fmt.Sprintf("the limit %d of unit %d is reached until %s", e.Whose, e.Of, e.Until.UTC().Format(time.RFC3339))
}

// Account is what one answer is charged to: all requests to the model that are made for
// it. Its methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held over I/O.
type Account struct {
	limits   *Limits
	who      Who
	subjects []subject

	mu      sync.Mutex
	counted bool   // the answer counts as a request
	first   *taken // the charge that counted it; nil if it was not counted
	charged int    // tokens charged so far
	kept    int    // the tokens that are reserved for the answer itself
	// uncounted are requests that are over and of which neither the provider nor an exact
	// count has told what they took. charged holds their upper bounds.
	uncounted []*taken
}

// Left returns the number of tokens that the answer may still use, and reports whether
// there is a bound.
func (a *Account) Left() (tokens int, bounded bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.countLocked()
	return max(0, a.limits.settings.Answer-a.charged), a.limits.settings.Answer > 0
}

// Keep reserves tokens for the answer itself, so that summaries and tools cannot use
// them up. Each call replaces the reservation before. Call Keep(0) before the request
// that the tokens are reserved for.
func (a *Account) Keep(tokens int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept = tokens
}

// size computes the greatest number of tokens that a request can take.
type size struct {
	exact func(context.Context) int
	quick func() int // an upper bound of exact that is faster to compute; may be nil
}

// reserve charges the account for a request, with the greatest number of tokens that it
// can take. The caller calls settle with what the request did take.
func (a *Account) reserve(ctx context.Context, most size) (settle func(llm.Spent), err error) {
	taken, requests, err := a.takeMost(ctx, most)
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

// takeMost takes the tokens of a request from the answer's own bound. If no other limit
// counts tokens, it counts them exactly only if the upper bound does not fit.
func (a *Account) takeMost(ctx context.Context, most size) (*taken, int64, error) {
	t := &taken{}
	switch {
	case a.countsTokens() || most.quick == nil:
		t.tokens = most.exact(ctx)
	case a.limits.settings.Answer > 0:
		t.tokens = most.quick()
		t.exact = func() int { return most.exact(context.WithoutCancel(ctx)) } // after the request, too
	}
	requests, err := a.take(t.tokens)
	if err != nil && t.exact != nil {
		t.tokens, t.exact = most.exact(ctx), nil
		requests, err = a.take(t.tokens)
	}
	return t, requests, err
}

// countsTokens reports whether a limit on tokens applies to the account beside the
// answer's own.
func (a *Account) countsTokens() bool {
	return slices.ContainsFunc(a.subjects, func(s subject) bool {
		return slices.ContainsFunc(s.limits, func(l Limit) bool { return l.Of == Tokens })
	})
}

// take takes tokens from the answer's own bound. It returns the number of requests to
// charge: 1 for the first request of the answer, and 0 for any other.
func (a *Account) take(tokens int) (requests int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	exceeds := func() bool {
		most := a.limits.settings.Answer
		return most > 0 && a.charged+tokens > most-a.kept
	}
	if exceeds() {
		if a.countLocked(); exceeds() {
			return 0, &ExceededError{Whose: OfAnswer, Of: Tokens}
		}
	}
	a.charged += tokens
	if !a.counted {
		a.counted, requests = true, 1
	}
	return requests, nil
}

// countLocked replaces the upper bounds of requests that are over by exact counts.
func (a *Account) countLocked() {
	for _, t := range a.uncounted {
		a.charged += t.exact() - t.tokens
	}
	a.uncounted = nil
}

// giveBack undoes take.
func (a *Account) giveBack(requests int64, tokens int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.charged -= tokens
	a.counted = a.counted && requests == 0
}

// taken is what was charged for one request.
type taken struct {
	charges []charge
	tokens  int
	exact   func() int // the exact number of tokens, if they were not counted exactly; otherwise nil
	alone   bool       // see Limits.take
}

// charge takes from the budgets of everybody whose limits apply.
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

// settle replaces the charged upper bound by what the provider charged, and adds that
// to the ledger. If the provider did not say what it charged, the charge becomes the
// exact count of the request's tokens, once the account is used again. Counting takes
// tens of milliseconds in a new process or of a long request, and the end of the answer
// would wait for it.
func (a *Account) settle(ctx context.Context, t *taken, spent llm.Spent) {
	a.limits.ledger.settled(a.who, a.limits.now(), spent)
	if !spent.Known {
		if t.exact != nil {
			a.mu.Lock()
			a.uncounted = append(a.uncounted, t)
			a.mu.Unlock()
		}
		return
	}
	more := spent.Usage.Prompt + spent.Usage.Completion - t.tokens
	if more == 0 {
		return
	}
	a.mu.Lock()
	a.charged += more
	a.mu.Unlock()
	a.correct(ctx, t, Tokens, int64(more))
}

// Answered adds one answer to the ledger. The tokens are added by settle.
func (a *Account) Answered() { a.limits.ledger.answered(a.who, a.limits.now()) }

// Unasked takes back that the answer was counted as a request. It is called if a stored
// answer was given and the model was not asked for one. Tokens that were spent remain
// charged. It may be called on a nil Account.
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

// correct adds an amount, which may be negative, to the charge of a unit.
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
