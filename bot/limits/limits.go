// Package limits bounds what people may have the model do: requests and tokens per
// person, channel, guild and for heddle as a whole, over an hour and over a day.
//
// Every request to the model is charged before it is made, whatever it is for: an
// answer, a summary, a tool's helper, a retry. Its tokens are reserved at their upper
// bound and settled when the provider has said what it charged. The first request of
// an answer also counts as one of the requests that whoever asked may make. What a
// request took is then counted in a Ledger, for people to see.
//
// Windows are fixed: an hour of the clock, and a day in UTC. Their end is therefore
// the same for everybody and can be told beforehand. Around the end of a window twice
// its amount may be used in a short time.
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
	Tokens               // sent to the model and received from it, for whatever purpose
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
	Roles   map[graph.RoleID][]Limit // each person with the role, in place of Person; none: no limit
	Channel []Limit                  // each channel
	Guild   []Limit                  // each guild; a direct message has no such limit
	All     []Limit                  // everybody together
	// Answer bounds the tokens of one answer with all requests that are made for it; 0:
	// no bound.
	Answer int
	// AtMost is a faster upper bound of Count; nil for none.
	AtMost func(*llm.Request) int
}

// Budgets counts what is used, across processes; store.Budgets does.
type Budgets interface {
	Take(ctx context.Context, uses ...store.Use) (int, error)
	Settle(ctx context.Context, uses ...store.Use) error
	// Used returns what is used of budgets, in their order.
	Used(ctx context.Context, budgets ...string) ([]int64, error)
}

// Count returns the number of tokens that a request to the model is sent with.
type Count func(ctx context.Context, request *llm.Request) int

// Limits charges requests to the model. Its methods may be called from any goroutine.
type Limits struct {
	settings Settings
	budgets  Budgets
	local    *local // counts beside budgets, for while these cannot be reached
	ledger   *Ledger
	count    Count
	now      func() time.Time
	log      *slog.Logger
}

// New returns Limits that count in budgets what is used of them, and in ledger what
// requests took. A nil ledger counts nothing. now returns the time by which limits
// begin anew, on which all processes agree.
func New(budgets Budgets, ledger *Ledger, count Count, settings Settings, now func() time.Time, log *slog.Logger) *Limits {
	return &Limits{settings: settings, budgets: budgets, local: newLocal(), ledger: ledger, count: count, now: now, log: log}
}

// Who asks for an answer, and where.
type Who struct {
	Person  graph.UserID // zero for nobody in particular
	Channel graph.ChannelID
	Guild   graph.GuildID // zero in a direct message
	// Roles returns the person's roles. It is called only if some have limits.
	Roles func(context.Context) ([]graph.RoleID, error)
}

// Open opens the account of one answer. Requests that nobody asked for, such as vectors
// of what is said in a channel, are charged to the channel, its guild, and everybody
// together. They do not count as answers.
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

// ErrUnpaid means that a request to the model has no account to charge.
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
	most := size{exact: func() int { return l.count(ctx, request) + answer }}
	if l.settings.AtMost != nil {
		most.quick = func() int { return l.settings.AtMost(request) + answer }
	}
	return l.reserve(ctx, most)
}

// ReserveTexts implements llm.TextMeter. It charges the account in ctx.
func (l *Limits) ReserveTexts(ctx context.Context, texts []string) (settle func(llm.Spent), err error) {
	return l.reserve(ctx, size{exact: func() int {
		turns := make([]path.Turn, len(texts))
		for i, text := range texts {
			turns[i] = path.Turn{Role: path.RoleUser, Parts: []path.Part{path.Text(text)}}
		}
		return l.count(ctx, &llm.Request{Path: path.Path{Turns: turns}})
	}})
}

// reserve charges the account in ctx for a request of at most most tokens.
func (l *Limits) reserve(ctx context.Context, most size) (settle func(llm.Spent), err error) {
	account, ok := ctx.Value(accountKey{}).(*Account)
	if !ok {
		return nil, ErrUnpaid
	}
	return account.reserve(ctx, most)
}

// take takes uses from their budgets, or none of them. While the budgets cannot be
// reached, the counts of this process decide, and alone is set.
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

// settle corrects the budgets by uses. It works after the end of ctx, too.
func (l *Limits) settle(ctx context.Context, uses []store.Use) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), work.StoreTimeout)
	defer cancel()
	if err := l.budgets.Settle(ctx, uses...); err != nil {
		l.log.Log(ctx, work.LogLevel(err), "what a request to the model cost could not be settled, its upper bound stays charged", "error", err)
	}
}
