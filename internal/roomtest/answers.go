package roomtest

import (
	"context"
	"log/slog"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/bot/tools"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/openaitest"
	"heddle/store"
)

// Target is a place of an answer that remembers what it was told.
type Target struct {
	Made     []store.Response
	Told     []string
	Restored int
}

// Buttons implements answer.Target.
func (r *Target) Buttons(_ context.Context, _ *slog.Logger, made *store.Response) reply.Rows {
	r.Made = append(r.Made, *made)
	return nil
}

// Tell implements answer.Target.
func (r *Target) Tell(_ context.Context, said phrases.Phrase) {
	r.Told = append(r.Told, phrases.In().Say(said))
}

// Growing implements answer.Target.
func (*Target) Growing(graph.UserID, func()) (reply.Rows, func()) {
	return nil, func() {}
}

// Restore implements answer.Target.
func (r *Target) Restore(context.Context, *slog.Logger) error {
	r.Restored++
	return nil
}

// WithTool lets the model call a tool.
func WithTool(tool Looking) Choice {
	return func(c *Parts) {
		c.Tools = []tools.Tool{tool}
	}
}

// Look is a call of a Looking.
func Look() openaitest.Reply {
	return openaitest.Call(openaitest.ToolCall{ID: "c", Name: "look", Arguments: "{}"})
}

// Looking is a tool whose results are those of a test.
type Looking func(context.Context, tools.Call) (tools.Result, error)

// Spec describes the tool.
func (Looking) Spec() path.Tool { return path.Tool{Name: "look", Schema: `{"type":"object"}`} }

// Call calls l.
func (l Looking) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	return l(ctx, call)
}
