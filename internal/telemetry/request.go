package telemetry

import (
	"context"
	"log/slog"
	"slices"
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
// context belongs to. It formats the attributes of a logger only once a line is written,
// as most loggers of questions write few lines or none.
type Handler struct {
	slog.Handler

	attrs []slog.Attr // that Handler lacks
}

// Handle implements slog.Handler. It adds the id before the attributes of the line.
func (h Handler) Handle(ctx context.Context, line slog.Record) error {
	attrs := h.attrs
	if id := requestOf(ctx); id != "" {
		attrs = append(slices.Clip(attrs), slog.String("request", id))
	}
	return h.with(attrs).Handle(ctx, line)
}

// with returns the handler behind h, with attributes.
func (h Handler) with(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h.Handler
	}
	return h.Handler.WithAttrs(attrs)
}

// WithAttrs implements slog.Handler.
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return Handler{h.Handler, slices.Concat(h.attrs, attrs)}
}

// WithGroup implements slog.Handler.
func (h Handler) WithGroup(name string) slog.Handler {
	return Handler{Handler: h.with(h.attrs).WithGroup(name)}
}
