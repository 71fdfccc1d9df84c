package roomtest

import (
	"context"

	"heddle/bot/tools"
	"heddle/graph/path"
	"heddle/internal/openaitest"
)

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
