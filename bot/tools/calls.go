package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"heddle/graph/path"
)

// What the model is told about its calls.
const (
	tellLast     = "\n\nThese were the last calls for this answer: answer now with what there is, without further calls."
	tellRepeated = "This very call was made before for this answer; its result stands above. Do not repeat it."
	tellTooMany  = "Not done: too many calls at once. At most %d are done."
	tellNoTime   = "Not done: the time for tools is used up."
	tellStalled  = "Not done: the tool took too long. Do without it, and say so where it matters."
	tellFailed   = "Not done: the tool failed. Do without it, and say so where it matters."
	tellNoTool   = "Not done: there is no such tool. There are: %s."
	tellNoObject = "Not done: the arguments are not a JSON object as the tool's schema describes it."
	tellCut      = "\n(cut here: %d more characters)"
	tellNothing  = "Done; there is nothing to tell."
)

// maxArguments bounds, in bytes, the arguments that the model is shown again.
const maxArguments = 64 << 10

// sendable is a call as it may be sent back: some providers refuse a request whose
// earlier calls hold a name that is none or arguments that are no JSON, and what is
// too long would leave no room for an answer.
func sendable(call path.ToolCall) path.ToolCall {
	if call.Name == "" || len(call.Name) > 64 || strings.ContainsFunc(call.Name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		call.Name = "unknown"
	}
	switch {
	case !isObject(call.Arguments):
		call.Arguments = `{"omitted":"not a JSON object"}`
	case len(call.Arguments) > maxArguments:
		call.Arguments = fmt.Sprintf(`{"omitted":"%d bytes"}`, len(call.Arguments))
	}
	return call
}

func isObject(arguments string) bool {
	return strings.HasPrefix(strings.TrimLeft(arguments, " \t\r\n"), "{") && json.Valid([]byte(arguments))
}

// answerCalls makes the calls of the last answer and adds their results, one for
// each call: providers want them all.
func (r *run) answerCalls(ctx context.Context) {
	r.last = r.last || r.usage.Prompt+r.usage.Completion >= r.loop.limits.Tokens
	for i, call := range r.calls {
		text := fmt.Sprintf(tellTooMany, r.loop.limits.Calls)
		if i < r.loop.limits.Calls {
			text = r.call(ctx, call)
		}
		r.last = r.last || r.spent >= r.loop.limits.Time
		text = r.clip(text)
		if r.last && i == len(r.calls)-1 {
			text += tellLast
		}
		sent := sendable(call)
		r.Turns = append(r.Turns, path.Turn{Role: path.RoleTool, Parts: []path.Part{
			path.ToolResult{ID: sent.ID, Name: sent.Name, Parts: []path.Part{path.Text(text)}},
		}})
	}
	r.show.Doing("")
}

// call makes one call and gives what the model is told.
func (r *run) call(ctx context.Context, call path.ToolCall) string {
	i := slices.IndexFunc(r.loop.tools, func(t Tool) bool { return t.Spec().Name == call.Name })
	if i < 0 {
		return fmt.Sprintf(tellNoTool, r.loop.names())
	}
	if !isObject(call.Arguments) {
		return tellNoObject
	}
	asked := call.Arguments
	if canonical, err := path.CanonicalJSON([]byte(asked)); err == nil {
		asked = string(canonical)
	}
	key := call.Name + "\x00" + asked
	if r.done[key] {
		return tellRepeated
	}
	left := r.loop.limits.Time - r.spent
	if left <= 0 {
		return tellNoTime
	}
	r.show.Doing(call.Name)
	started := time.Now()
	result, err := r.loop.try(ctx, r.loop.tools[i], min(left, r.loop.limits.Call), Call{
		Arguments: bytes.Clone([]byte(call.Arguments)), Place: r.place, Made: r.Files,
	})
	r.spent += time.Since(started)
	r.charge(result.Usage)
	if result.Branch != nil {
		result.Branch.Call = call.ID
		r.Branches = append(r.Branches, *result.Branch)
	}
	if err != nil {
		return r.failure(ctx, call.Name, err)
	}
	r.done[key] = true
	r.Files = append(r.Files, result.Files...)
	r.Sources = append(r.Sources, result.Sources...)
	r.Once = r.Once || result.Once
	if result.Text == "" {
		return tellNothing
	}
	return result.Text
}

// try makes a call for so long at most.
func (l *Loop) try(ctx context.Context, tool Tool, most time.Duration, call Call) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return tool.Call(ctx, call) //nolint:wrapcheck // a RefusalError must stay itself
}

// failure is what the model is told about a call that failed.
func (r *run) failure(ctx context.Context, tool string, err error) string {
	r.Once = true // another time it may be done
	if words, ok := refusal(err); ok {
		return "Not done: " + words
	}
	r.failed = true
	r.loop.log.WarnContext(ctx, "a tool failed", "tool", tool, "error", err)
	if errors.Is(err, context.DeadlineExceeded) {
		return tellStalled
	}
	return tellFailed
}

// clip bounds what the model is given of a result.
func (r *run) clip(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	most := r.loop.limits.Result
	if len(text) <= most {
		return text
	}
	count := 0
	for i := range text {
		if count == most {
			return text[:i] + fmt.Sprintf(tellCut, utf8.RuneCountInString(text[i:]))
		}
		count++
	}
	return text
}

func (l *Loop) names() string {
	names := make([]string, len(l.tools))
	for i, tool := range l.tools {
		names[i] = tool.Spec().Name
	}
	return strings.Join(names, ", ")
}
