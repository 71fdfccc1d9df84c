package telemetry

import (
	"context"
	"log/slog"
)

type requestKey struct{}

// Requested returns a context whose log lines all name a request, such as a mention.
// The id is the same in every process that works on it.
func Requested(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// Handler adds to each line the id of the request that its context belongs to.
type Handler struct{ slog.Handler }

// Handle adds the id in front of the line's own attributes.
func (h Handler) Handle(ctx context.Context, line slog.Record) error {
	next := h.Handler
	if id, ok := ctx.Value(requestKey{}).(string); ok {
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
