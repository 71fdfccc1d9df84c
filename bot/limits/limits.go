// Package limits bounds the use of the model: requests and tokens per hour and per day,
// for each person, channel and guild, and for heddle as a whole.
//
// Every request to the model is charged before it is made, whether it is for an answer,
// a summary, the helper of a tool or a retry. At first it is charged with an upper
// bound of its tokens. The charge is corrected when the provider has reported what it
// charged. The first request of an answer also counts as one of the requests that the
// asker may make. A Ledger records the cost of each request, for people to see.
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
	"time"

	"heddle/bot/work"
	"heddle/graph"
	"heddle/graph/path"
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
	// AtMost returns an upper bound of Count and is faster; may be nil.
	AtMost func(*llm.Request) int
}

// Budgets counts use across processes; store.Budgets is one.
type Budgets interface {
	Take(ctx context.Context, uses ...store.Use) (int, error)
	Settle(ctx context.Context, uses ...store.Use) error
	// Used returns how much of each budget is used, in the order of budgets.
	Used(ctx context.Context, budgets ...string) ([]int64, error)
}

// Count returns the number of tokens of a request as it is sent to the model.
type Count func(ctx context.Context, request *llm.Request) int

// Limits charges requests to the model. Its methods may be called from any goroutine.
type Limits struct {
	settings Settings
	budgets  Budgets
	local    *local // counts beside budgets, and decides while they cannot be reached
	ledger   *Ledger
	count    Count
	now      func() time.Time
	log      *slog.Logger
}

// New returns Limits. They count use in budgets, and the cost of requests in ledger
// unless it is nil. now determines when windows begin and end; it must be the same in
// all processes.
func New(budgets Budgets, ledger *Ledger, count Count, settings Settings, now func() time.Time, log *slog.Logger) *Limits {
	return &Limits{settings: settings, budgets: budgets, local: newLocal(), ledger: ledger, count: count, now: now, log: log}
}

// Who is the asker of an answer, and where they ask.
type Who struct {
	Person  graph.UserID // zero if no person asks
	Channel graph.ChannelID
	Guild   graph.GuildID // zero in a direct message
	// Roles returns the person's roles. It is called only if some have limits.
	Roles func(context.Context) ([]graph.RoleID, error)
}

// Open opens the account of one answer. Without a person it is for requests that nobody
// asked for, such as embeddings of a channel's messages. Those are charged to the
// channel, its guild, and everybody together, and do not count as answers.
func (l *Limits) Open(ctx context.Context, who Who) *Account {
	return &Account{limits: l, who: who, subjects: l.subjects(ctx, who), counted: who.Person == 0}
}

// Ledger returns the ledger, which may be nil.
func (l *Limits) Ledger() *Ledger { return l.ledger }

// accountKey is the key of the Account in a context.
type accountKey struct{}

// With returns a context in which requests to the model are charged to an account.
func With(ctx context.Context, a *Account) context.Context {
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, accountKey{}, a)
}

// ErrUnpaid means that the context of a request to the model has no account to charge.
// It is a fault of the program.
var ErrUnpaid = errors.New("nobody is charged for a request to the model")

// unboundedAnswer is the number of tokens that is reserved for an answer without a
// bound of its own.
const unboundedAnswer = 16_384

// Reserve implements llm.Meter. It charges the account in ctx.
func (l *Limits) Reserve(ctx context.Context, request *llm.Request) (settle func(llm.Spent), err error) {
	answer := request.Path.Options.MaxTokens
	if answer <= 0 {
		answer = unboundedAnswer
	}
	most := size{exact: func(ctx context.Context) int { return l.count(ctx, request) + answer }}
	if l.settings.AtMost != nil {
		most.quick = func() int { return l.settings.AtMost(request) + answer }
	}
	return l.reserve(ctx, most)
}

// ReserveTexts implements llm.TextMeter. It charges the account in ctx.
func (l *Limits) ReserveTexts(ctx context.Context, texts []string) (settle func(llm.Spent), err error) {
	return l.reserve(ctx, size{exact: func(ctx context.Context) int {
		turns := make([]path.Turn, len(texts))
		for i, text := range texts {
			turns[i] = path.Turn{Role: path.RoleUser, Parts: []path.Part{path.Text(text)}}
		}
		return l.count(ctx, &llm.Request{Path: path.Path{Turns: turns}})
	}})
}

// reserve charges the account in ctx for a request.
func (l *Limits) reserve(ctx context.Context, most size) (settle func(llm.Spent), err error) {
	account, ok := ctx.Value(accountKey{}).(*Account)
	if !ok {
		return nil, ErrUnpaid
	}
	return account.reserve(ctx, most)
}

// take takes all uses from their budgets, or none. It returns store.Applied, or the
// index of the first use that does not fit. While the budgets cannot be reached, it
// decides by the counts of this process, and sets alone.
func (l *Limits) take(ctx context.Context, uses []store.Use) (failed int, alone bool, err error) {
	failed, err = l.budgets.Take(ctx, uses...)
	switch {
	case err == nil && failed == store.Applied:
		l.local.settle(l.now(), uses)
		return failed, false, nil
	case err == nil:
		return failed, false, nil
	case errors.Is(err, store.ErrUnavailable):
		return l.local.take(l.now(), uses), true, nil
	default:
		return 0, false, fmt.Errorf("charge a request to the model: %w", err)
	}
}

// settle adds the amounts of uses, which may be negative, to the budgets, even if ctx
// has ended.
func (l *Limits) settle(ctx context.Context, uses []store.Use) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), work.StoreTimeout)
	defer cancel()
	if err := l.budgets.Settle(ctx, uses...); err != nil {
		l.log.Log(ctx, work.LogLevel(err), "the cost of a request to the model could not be corrected, the upper bound stays charged", "error", err)
	}
}
