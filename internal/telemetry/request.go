package telemetry

import (
	"context"
	"log/slog"
	"time"
)

type requestKey struct{}

// Requested returns a context whose log lines contain the id of a request, such as a
// mention. The id is the same in every process that works on the request.
func Requested(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// requestOf returns the id of the request that a context belongs to, or "".
func requestOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// Tracer receives the stages and waits of requests with their times. Its methods must
// return at once. The stage Whole contains all others.
type Tracer interface {
	Span(request, name string, began time.Time, took time.Duration)
}

// Trace passes everything that is timed to a tracer, if the request that it belongs to
// is known. It must be called before the Meter is used.
func (m *Meter) Trace(t Tracer) { m.tracer = t }

func (m *Meter) span(request, name string, began time.Time, took time.Duration) {
	if m.tracer != nil && request != "" {
		m.tracer.Span(request, name, began, took)
	}
}

// Handler is a slog.Handler that adds to each line the id of the request that its
// context belongs to.
type Handler struct{ slog.Handler }

// Handle implements slog.Handler. It adds the id before the attributes of the line.
func (h Handler) Handle(ctx context.Context, line slog.Record) error {
	next := h.Handler
	if id := requestOf(ctx); id != "" {
		next = next.WithAttrs([]slog.Attr{slog.String("request", id)})
	}
	return next.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return Handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h Handler) WithGroup(name string) slog.Handler { return Handler{h.Handler.WithGroup(name)} }
