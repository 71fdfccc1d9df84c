// Package limits bounds the use of the model: requests and tokens per hour and per day,
// for each person, channel and guild, and for heddle as a whole.
//
// Every request to the model is charged before it is made, whether it is for an answer,
// a summary, the helper of a tool or a retry. At first it is charged with an upper
// bound of its tokens. The charge is corrected when the provider has reported what it
// charged. The first request of an answer also counts as one of the requests that the
// asker may make. What each request cost is recorded for people to see.
//
// Windows are fixed: an hour of the clock, and a day in UTC. Everybody's window ends at
// the same known time. The price is that up to twice the limit can be used in a short
// time around the end of a window.
package limits

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// Unit is what a Limit counts.
type Unit uint8

// The units.
const (
	Requests Unit = iota // answers that were asked for
	Tokens               // sent to the model and received from it, for any purpose
)

// The windows of a Limit.
const (
	Hourly = time.Hour
	Daily  = 24 * time.Hour
)

// Limit is how many of a unit may be used within a window.
type Limit struct {
	Most int64
	Of   Unit
	Per  time.Duration // Hourly or Daily
}

// Settings are what an operator allows. Without a Limit nothing is counted.
type Settings struct {
	Person  []Limit                  // each person
	Roles   map[graph.RoleID][]Limit // each person with the role, in place of Person; an empty list: no limit
	Channel []Limit                  // each channel
	Guild   []Limit                  // each guild; a direct message has no such limit
	All     []Limit                  // everybody together
	// Answer bounds the tokens of all requests that are made for one answer; 0: no
	// bound.
	Answer int
}

// Count returns the number of tokens of a request as it is sent to the model.
type Count func(ctx context.Context, request *llm.Request) int

// Limits charges requests to the model. Its methods may be called from any goroutine.
type Limits struct {
	settings Settings
	budgets  *store.Budgets
	guilds   *guilds.Cache
	local    *local // counts beside budgets, and decides while they cannot be reached
	price    Price
	writes   *store.Queue // of what was spent
	count    Count
	clock    *discord.Clock
	log      *slog.Logger
}

// New returns Limits. They count use in budgets, and there also what requests cost by price,
// which may be nil: then only tokens are counted. clock determines when windows begin and end;
// it must be the same in all processes. What was spent is stored by Run.
func New(budgets *store.Budgets, known *guilds.Cache, price Price, count Count, settings Settings, clock *discord.Clock, log *slog.Logger) *Limits {
	return &Limits{settings: settings, budgets: budgets, guilds: known, local: newLocal(), price: price, writes: store.NewQueue(log), count: count, clock: clock, log: log}
}

// Who is the asker of an answer, and where they ask.
type Who struct {
	Person  graph.UserID
	Channel graph.ChannelID
	Guild   graph.GuildID // zero in a direct message
}

// Open opens the account of one answer.
func (l *Limits) Open(ctx context.Context, who Who) *Account {
	return &Account{limits: l, who: who, owned: l.owned(ctx, who)}
}

// accountKey is the key of the Account in a context.
type accountKey struct{}

// With returns a context in which requests to the model are charged to an account.
func With(ctx context.Context, a *Account) context.Context {
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, accountKey{}, a)
}

// errUnpaid means that the context of a request to the model has no account to charge.
// It is a fault of the program.
var errUnpaid = errors.New("nobody is charged for a request to the model")

// unboundedAnswer is the number of tokens that is reserved for an answer without a
// bound of its own.
const unboundedAnswer = 16_384

// Reserve implements llm.Meter. It charges the account in ctx for the greatest number of
// tokens that the request can take.
func (l *Limits) Reserve(ctx context.Context, request *llm.Request) (settle func(llm.Spent), err error) {
	answer := request.Path.Options.MaxTokens
	if answer <= 0 {
		answer = unboundedAnswer
	}
	return l.ReserveTokens(ctx, l.count(ctx, request)+answer)
}

// ReserveTokens implements llm.Meter. It charges the account in ctx for a number of tokens.
func (l *Limits) ReserveTokens(ctx context.Context, tokens int) (settle func(llm.Spent), err error) {
	a, ok := ctx.Value(accountKey{}).(*Account)
	if !ok {
		return nil, errUnpaid
	}
	t, err := a.take(tokens)
	if err != nil {
		return nil, err
	}
	if err := a.charge(ctx, t); err != nil {
		a.giveBack(t)
		return nil, err
	}
	return func(spent llm.Spent) { a.settle(ctx, t, spent) }, nil
}

// take takes all uses from their budgets, or none. It returns store.Applied, or the
// index of the first use that does not fit. While the budgets cannot be reached, it
// decides by the counts of this process, and sets alone.
func (l *Limits) take(ctx context.Context, uses []store.Use) (failed int, alone bool, err error) {
	failed, err = l.budgets.Take(ctx, uses...)
	switch {
	case err == nil && failed == store.Applied:
		l.local.settle(uses)
		return failed, false, nil
	case err == nil:
		return failed, false, nil
	case errors.Is(err, store.ErrUnavailable):
		return l.local.take(uses), true, nil
	default:
		return 0, false, fmt.Errorf("charge a request to the model: %w", err)
	}
}

// settle adds the amounts of uses, which may be negative, to the budgets, even if ctx
// has ended.
func (l *Limits) settle(ctx context.Context, uses []store.Use) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
	defer cancel()
	if _, err := l.budgets.Take(ctx, uses...); err != nil {
		l.log.Log(ctx, store.LogLevel(err), "the cost of a request to the model could not be corrected, the upper bound stays charged", "error", err)
	}
}

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
	limits *Limits
	who    Who
	owned  []owned // the limits that apply

	mu      sync.Mutex
	first   *taken // the charge that counts the answer as a request; nil: none does
	charged int    // tokens charged so far
	kept    int    // the tokens that are reserved for the answer itself
}

// Left returns the number of tokens that the answer may still use, and reports whether
// there is a bound.
func (a *Account) Left() (tokens int, bounded bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
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

// taken is what was charged for one request.
type taken struct {
	of       []owned // the limits whose budgets are used
	uses     []store.Use
	requests int64 // 1 for the first request of the answer
	tokens   int
	alone    bool // see Limits.take
}

// take takes tokens from the answer's own bound. The first request counts the answer.
func (a *Account) take(tokens int) (*taken, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if most := a.limits.settings.Answer; most > 0 && a.charged+tokens > most-a.kept {
		return nil, &ExceededError{Whose: OfAnswer, Of: Tokens}
	}
	a.charged += tokens
	t := &taken{tokens: tokens}
	if a.first == nil {
		a.first, t.requests = t, 1
	}
	return t, nil
}

// giveBack takes back what take did.
func (a *Account) giveBack(t *taken) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.charged -= t.tokens
	if a.first == t {
		a.first = nil
	}
}

// charge takes from the budgets of everybody whose limits apply.
func (a *Account) charge(ctx context.Context, t *taken) error {
	now := a.limits.clock.Now()
	for _, o := range a.owned {
		if use := o.use(now, t.requests, int64(t.tokens)); use.Amount > 0 {
			t.of, t.uses = append(t.of, o), append(t.uses, use)
		}
	}
	if len(t.uses) == 0 {
		return nil
	}
	failed, alone, err := a.limits.take(ctx, t.uses)
	t.alone = alone
	if err == nil && failed != store.Applied {
		over := &t.of[failed]
		_, until := over.window(now)
		err = &ExceededError{over.whose, over.Of, until}
	}
	return err
}

// settle replaces the charged upper bound by what the provider charged, if it said that,
// and counts that as spent.
func (a *Account) settle(ctx context.Context, t *taken, spent llm.Spent) {
	if spent.Usage != (llm.Usage{}) {
		a.spend(a.limits.settled(spent))
	}
	more := spent.Usage.Prompt + spent.Usage.Completion - t.tokens
	if !spent.Known || more == 0 {
		return
	}
	a.mu.Lock()
	a.charged += more
	a.mu.Unlock()
	a.correct(ctx, t, Tokens, int64(more))
}

// Answered counts one answer. Its tokens are counted by settle.
func (a *Account) Answered() { a.spend(store.Spent{Answers: 1}) }

// RefundRequest takes back that the answer was counted as a request. It is called if a
// stored answer was given and the model was not asked for one. Tokens that were spent
// remain charged. It may be called on a nil Account.
func (a *Account) RefundRequest(ctx context.Context) {
	if a == nil {
		return
	}
	a.mu.Lock()
	first := a.first
	a.first = nil
	a.mu.Unlock()
	if first != nil {
		a.correct(ctx, first, Requests, -1)
	}
}

// correct adds an amount, which may be negative, to the charge of a unit.
func (a *Account) correct(ctx context.Context, t *taken, of Unit, amount int64) {
	var corrected []store.Use
	for i, use := range t.uses {
		if t.of[i].Of == of {
			use.Amount, use.Most = amount, 0 // what was used cannot be refused any more
			corrected = append(corrected, use)
		}
	}
	if len(corrected) == 0 {
		return
	}
	a.limits.local.settle(corrected)
	if !t.alone {
		a.limits.settle(ctx, corrected)
	}
}
