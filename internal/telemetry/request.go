package telemetry

import (
	"context"
	"log/slog"
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

// Handler is a slog.Handler that adds to each line the id of the request that its
// context belongs to.
type Handler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h Handler) Handle(ctx context.Context, line slog.Record) error {
	if id := requestOf(ctx); id != "" {
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
