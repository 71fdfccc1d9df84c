// Package telemetry counts and times what heddle does. Events are recorded with the
// context of the work in which they happen, so that any package can record them:
//
//	telemetry.Count(ctx, telemetry.Fenced)
//	defer telemetry.Stage(ctx, telemetry.Prepare)()
//
// Without a Meter in the context nothing is recorded. Nothing recorded contains what
// people wrote. internal/cli publishes the figures.
//
// To add an event, a cause or a stage, add a constant and its name in the list below
// it. docs/operations.md explains each.
package telemetry

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"
)

// Event is something that is counted.
type Event uint8

// The events.
const (
	Unsendable Event = iota // Discord does not accept an answer for now, and the answer waits
	Expired                 // a mention was dropped because it is too old
	Retried                 // a mention is tried again after an attempt that failed
	TakenOver               // a mention is answered after its owner died or lost the claim
	Fenced                  // work was stopped because another process has its claim
	Reconciled              // something was found to be done already by reading it back from Discord
	HalfEnded               // a partial answer of an earlier attempt was completed, ended or deleted
	CaughtUp                // a mention from while heddle was away was found
	Turned                  // a mention was refused with a sentence, because of a budget or a breaker
	events
)

func (e Event) String() string {
	return [...]string{
		"unsendable", "expired", "retried", "taken_over", "fenced", "reconciled", "half_ended", "caught_up", "turned_away",
	}[e]
}

// Rating is what a person thinks of an answer.
type Rating uint8

// The ratings.
const (
	Good Rating = iota // 👍
	Bad                // 👎
	ratings
)

func (r Rating) String() string { return [...]string{"good", "bad"}[r] }

// Cause is what work waits for.
type Cause uint8

// The causes.
const (
	ForTurn  Cause = iota // earlier mentions in its channel
	ForSlot               // one of the slots that all work shares
	ForModel              // a budget of the model's provider, of a guild or a person
	ForOwner              // another process that holds the claim
	ForSend               // a rate limit of Discord's
	causes
)

func (c Cause) String() string {
	return [...]string{"turn", "slot", "model", "owner", "send"}[c]
}

// StageName is a stage in handling a mention.
type StageName uint8

// The stages.
const (
	Prepare   StageName = iota // reading the conversation and shaping the request
	LookUp                     // looking for a stored answer
	FirstText                  // from the request to the model until its first text
	Model                      // from the request to the model until its answer is complete, tools included
	Deliver                    // sending the end of the answer
	Record                     // storing the answer
	Whole                      // from the mention until its answer is complete
	stages
)

func (s StageName) String() string {
	return [...]string{"prepare", "look_up", "first_text", "model", "deliver", "record", "whole"}[s]
}

// Meter holds the figures of one process.
type Meter struct {
	events  [events]atomic.Int64
	ratings [ratings]atomic.Int64
	queued  [causes]atomic.Int64
	waits   [causes]histogram
	stages  [stages]histogram
	rest    byLabels
	tokens  byLabels
	tracer  Tracer // may be nil
}

// New returns a Meter without figures.
func New() *Meter { return &Meter{} }

type meterKey struct{}

// With returns a context whose events m records.
func With(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// of returns the Meter of a context, or nil.
func of(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// Count notes an event.
func Count(ctx context.Context, e Event) {
	if m := of(ctx); m != nil {
		m.events[e].Add(1)
	}
}

// Rated notes that an answer was rated.
func Rated(ctx context.Context, r Rating) {
	if m := of(ctx); m != nil {
		m.ratings[r].Add(1)
	}
}

// Waiting is work that waits. The zero Waiting counts nothing.
type Waiting struct {
	meter *Meter
	cause Cause
	began time.Time

	request string // that the work belongs to; "" if that is not known
}

// Wait records that work begins to wait. The caller must call Over or Left once.
func Wait(ctx context.Context, cause Cause) Waiting {
	m := of(ctx)
	if m == nil {
		return Waiting{}
	}
	m.queued[cause].Add(1)
	return Waiting{m, cause, time.Now(), requestOf(ctx)}
}

// Of returns the wait as one of a request, whose context is not known yet.
func (w Waiting) Of(request string) Waiting {
	w.request = request
	return w
}

// Over records that the wait is over and the work begins.
func (w Waiting) Over() {
	if w.meter != nil {
		w.Left()
		took := time.Since(w.began)
		w.meter.waits[w.cause].add(took)
		w.meter.span(w.request, "wait "+w.cause.String(), w.began, took)
	}
}

// Left records that the work no longer waits and will not begin.
func (w Waiting) Left() {
	if w.meter != nil {
		w.meter.queued[w.cause].Add(-1)
	}
}

// Stage records the beginning of a stage. The caller must call done when the stage
// ends.
func Stage(ctx context.Context, s StageName) (done func()) {
	m := of(ctx)
	if m == nil {
		return func() {}
	}
	began := time.Now()
	return func() { m.took(ctx, s, began, time.Since(began)) }
}

// Took records a stage that ends now and took d.
func Took(ctx context.Context, s StageName, d time.Duration) {
	if m := of(ctx); m != nil {
		m.took(ctx, s, time.Now().Add(-d), d)
	}
}

func (m *Meter) took(ctx context.Context, s StageName, began time.Time, d time.Duration) {
	m.stages[s].add(d)
	m.span(requestOf(ctx), s.String(), began, d)
}

// Request records a request to Discord and the status of its response, or 0 if there
// was none. scope is the scope of a 429: user, global or shared.
func (m *Meter) Request(method, route string, status int, scope string) {
	m.rest.add(1, method, route, statusClass(status), scope)
}

// Tokens records the tokens of a request to a model.
func (m *Meter) Tokens(model string, prompt, cached, completion int) {
	m.tokens.add(float64(prompt-cached), model, "prompt")
	m.tokens.add(float64(cached), model, "cached")
	m.tokens.add(float64(completion), model, "completion")
}

// statusClass returns the class of a status for a label, such as 2xx. Statuses that Discord
// counts towards a block have classes of their own.
func statusClass(status int) string {
	switch {
	case status == 0:
		return "none"
	case status == 401, status == 403, status == 429: // Discord blocks an address after too many of these
		return strconv.Itoa(status)
	case status < 300:
		return "2xx"
	case status < 400:
		return "3xx"
	case status < 500:
		return "4xx"
	default:
		return "5xx"
	}
}
