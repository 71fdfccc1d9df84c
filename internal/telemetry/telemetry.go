// Package telemetry counts and times what heddle does. Events are recorded with the
// context of the work in which they happen, so that any package can record them:
//
//	telemetry.Count(ctx, telemetry.Fenced)
//	defer telemetry.Stage(ctx, telemetry.Prepare)()
//
// Without a Meter in the context nothing is recorded. Nothing recorded contains what
// people wrote.
//
// What an operator looks at is served over HTTP by Serve.
//
// To add an event, a cause or a stage, add a constant and list it in New, so that it is
// published before it happens. docs/operations.md explains each.
package telemetry

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Event is something that is counted.
type Event string

// The events.
const (
	Unsendable Event = "unsendable"  // Discord does not accept an answer for now, and the answer waits
	Expired    Event = "expired"     // a mention was dropped because it is too old
	Retried    Event = "retried"     // a mention is tried again after an attempt that failed
	TakenOver  Event = "taken_over"  // a mention is answered after its owner died or lost the claim
	Fenced     Event = "fenced"      // work was stopped because another process has its claim
	Reconciled Event = "reconciled"  // something was found to be done already by reading it back from Discord
	HalfEnded  Event = "half_ended"  // a partial answer of an earlier attempt was completed, ended or deleted
	CaughtUp   Event = "caught_up"   // a mention from while heddle was away was found
	Deaf       Event = "deaf"        // a shard sent no events, and began another session
	Turned     Event = "turned_away" // a mention was refused with a sentence, because of a budget or a breaker
)

// Rating is what a person thinks of an answer.
type Rating string

// The ratings.
const (
	Good Rating = "good" // 👍
	Bad  Rating = "bad"  // 👎
)

// Cause is what work waits for.
type Cause string

// The causes.
const (
	ForTurn  Cause = "turn"  // earlier mentions in its channel
	ForSlot  Cause = "slot"  // one of the slots that all work shares
	ForOwner Cause = "owner" // another process that holds the claim
	ForSend  Cause = "send"  // a rate limit of Discord's
)

// StageName is a stage in handling a mention.
type StageName string

// The stages.
const (
	Transcribe StageName = "transcribe" // hearing voice messages
	Prepare    StageName = "prepare"    // reading the conversation and shaping the request
	LookUp     StageName = "look_up"    // looking for a stored answer
	FirstText  StageName = "first_text" // from the request to the model until its first text
	Model      StageName = "model"      // from the request to the model until its answer is complete, tools included
	Deliver    StageName = "deliver"    // sending the end of the answer
	Record     StageName = "record"     // storing the answer
	Whole      StageName = "whole"      // from the mention until its answer is complete
)

// Meter holds the figures of one process.
type Meter struct {
	events, ratings, requests, limited *prometheus.CounterVec
	queued                             *prometheus.GaugeVec
	waits, stages                      *prometheus.HistogramVec
}

// New returns a Meter whose figures are registered for publishing. Everything that can be
// counted is published, with 0 if it has not happened; requests are published once there
// were any.
func New(registry prometheus.Registerer) *Meter {
	to := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return to.NewCounterVec(prometheus.CounterOpts{Namespace: "heddle", Name: name, Help: help}, labels)
	}
	histogram := func(name, help, label string) *prometheus.HistogramVec {
		buckets := []float64{0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300}
		return to.NewHistogramVec(prometheus.HistogramOpts{Namespace: "heddle", Name: name, Help: help, Buckets: buckets}, []string{label})
	}
	m := &Meter{
		events:   counter("mentions_total", "What became of mentions and their answers apart from the usual.", "event"),
		ratings:  counter("ratings_total", "Ratings of answers that people gave, including those that they took back later.", "rating"),
		requests: counter("rest_requests_total", "Requests to Discord, by the class of the response's status.", "method", "route", "status", "scope"),
		limited:  counter("rest_limited_total", "Requests that Discord refused as too many.", "scope"),
		queued:   to.NewGaugeVec(prometheus.GaugeOpts{Namespace: "heddle", Name: "waiting", Help: "Work that waits now, by what for."}, []string{"cause"}),
		waits:    histogram("wait_seconds", "How long work waited, by what for.", "cause"),
		stages:   histogram("stage_seconds", "How long each stage of a mention took.", "stage"),
	}
	for _, e := range []Event{Unsendable, Expired, Retried, TakenOver, Fenced, Reconciled, HalfEnded, CaughtUp, Deaf, Turned} {
		m.events.WithLabelValues(string(e))
	}
	for _, r := range []Rating{Good, Bad} {
		m.ratings.WithLabelValues(string(r))
	}
	for _, c := range []Cause{ForTurn, ForSlot, ForOwner, ForSend} {
		m.queued.WithLabelValues(string(c))
		m.waits.WithLabelValues(string(c))
	}
	for _, s := range []StageName{Prepare, Transcribe, LookUp, FirstText, Model, Deliver, Record, Whole} {
		m.stages.WithLabelValues(string(s))
	}
	for _, scope := range []string{"user", "global", "shared"} {
		m.limited.WithLabelValues(scope)
	}
	return m
}

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
		m.events.WithLabelValues(string(e)).Inc()
	}
}

// Rated notes that an answer was rated.
func Rated(ctx context.Context, r Rating) {
	if m := of(ctx); m != nil {
		m.ratings.WithLabelValues(string(r)).Inc()
	}
}

// Waiting is work that waits. The zero Waiting counts nothing.
type Waiting struct {
	meter *Meter
	cause Cause
	began time.Time
}

// Wait records that work begins to wait. The caller must call Over or Left once.
func Wait(ctx context.Context, cause Cause) Waiting {
	m := of(ctx)
	if m == nil {
		return Waiting{}
	}
	m.queued.WithLabelValues(string(cause)).Inc()
	return Waiting{m, cause, time.Now()}
}

// Over records that the wait is over and the work begins.
func (w Waiting) Over() {
	if w.meter != nil {
		w.Left()
		w.meter.waits.WithLabelValues(string(w.cause)).Observe(time.Since(w.began).Seconds())
	}
}

// Left records that the work no longer waits and will not begin.
func (w Waiting) Left() {
	if w.meter != nil {
		w.meter.queued.WithLabelValues(string(w.cause)).Dec()
	}
}

// Stage records the beginning of a stage. The caller must call done when the stage
// ends.
func Stage(ctx context.Context, s StageName) (done func()) {
	began := time.Now()
	return func() { Took(ctx, s, time.Since(began)) }
}

// Took records a stage that ends now and took d.
func Took(ctx context.Context, s StageName, d time.Duration) {
	if m := of(ctx); m != nil {
		m.stages.WithLabelValues(string(s)).Observe(d.Seconds())
	}
}

// Request records a request to Discord and the status of its response, or 0 if there
// was none. scope is the scope of a 429: user, global or shared.
func (m *Meter) Request(method, route string, status int, scope string) {
	m.requests.WithLabelValues(method, route, statusClass(status), scope).Inc()
	if scope != "" {
		m.limited.WithLabelValues(scope).Inc()
	}
}

// statusClass returns the class of a status for a label, such as 2xx. Statuses that Discord
// counts towards a block have classes of their own.
func statusClass(status int) string {
	switch status {
	case 0:
		return "none"
	case 401, 403, 429: // Discord blocks an address after too many of these
		return strconv.Itoa(status)
	default:
		return strconv.Itoa(status/100) + "xx"
	}
}

type requestKey struct{}

// Requested returns a context whose log lines contain the id of a request, such as a
// mention. The id is the same in every process that works on the request.
func Requested(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// Handler is a slog.Handler that adds to each line the id of the request that its
// context belongs to.
type Handler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h Handler) Handle(ctx context.Context, line slog.Record) error {
	if id, _ := ctx.Value(requestKey{}).(string); id != "" {
		line.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return Handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h Handler) WithGroup(name string) slog.Handler {
	return Handler{h.Handler.WithGroup(name)}
}
