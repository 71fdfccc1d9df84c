package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"heddle/graph/path"
	"heddle/llm"
)

// The texts that the model reads about its calls.
const (
	tellLast     = "\n\nThese were the last calls for this answer: answer now with what there is, without further calls."
	tellRepeated = "This very call was made before for this answer; its result stands above. Do not repeat it."
	tellTooMany  = "Not done: too many calls at once. At most %d are done."
	tellSpent    = "Not done: what this answer may cost is used up. Do without it, and say so where it matters."
	tellStalled  = "Not done: the tool took too long. Do without it, and say so where it matters."
	tellFailed   = "Not done: the tool failed. Do without it, and say so where it matters."
	tellNoTool   = "Not done: there is no such tool. There are: %s."
	tellNoObject = "Not done: the arguments are not a JSON object as the tool's schema describes it."
	tellCut      = "\n(cut here: %d more characters)"
	tellNothing  = "Done; there is nothing to tell."
)

// maxArguments bounds the arguments that are sent back to the model, in bytes.
const maxArguments = 64 << 10

// sendable returns a call as it can be sent back. Some providers refuse requests with
// earlier calls that have invalid names or arguments, and very long arguments would
// leave no room for an answer.
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

// answerCalls makes the calls of the last answer, at the same time, and adds one result
// for each, in order, as providers demand.
func (r *run) answerCalls(ctx context.Context) {
	all := make([]planned, len(r.calls))
	for i, call := range r.calls {
		all[i] = r.plan(i, call)
	}
	r.keep(r.next + len(all)*r.loop.limits.Result/bytesPerToken)
	r.make(ctx, all)
	for i := range all {
		text := r.clip(r.told(ctx, &all[i]))
		r.next += len(text) / bytesPerToken
		r.last = r.last || r.spent >= r.loop.limits.Time || r.isSpent()
		if r.last && i == len(all)-1 {
			text += tellLast
		}
		sent := sendable(all[i].call)
		r.Turns = append(r.Turns, path.Turn{Role: path.RoleTool, Parts: []path.Part{
			path.ToolResult{ID: sent.ID, Name: sent.Name, Parts: []path.Part{path.Text(text)}},
		}})
	}
	r.keep(0)
	r.show.Doing("")
}

// bytesPerToken is a low estimate of the length of a token in text of any kind.
const bytesPerToken = 3

// keep keeps tokens for the next request, so that the model can still answer whatever the
// tools take.
func (r *run) keep(tokens int) {
	if r.place.Account != nil {
		r.place.Account.Keep(tokens)
	}
}

// isSpent reports whether no more than the next request can be made.
func (r *run) isSpent() bool {
	if r.place.Account == nil {
		return false
	}
	left, bounded := r.place.Account.Left()
	return bounded && left < 2*r.next
}

// planned is a call that will be made, or the reason why not.
type planned struct {
	call   path.ToolCall
	tool   Tool   // nil if the call is not made
	key    string // equal for equal calls
	why    string // the call is not made
	result Result
	err    error
}

// plan returns the plan for the ith call of an answer.
func (r *run) plan(i int, call path.ToolCall) planned {
	p := planned{call: call}
	tool := r.tool(call.Name)
	switch {
	case i >= r.loop.limits.Calls:
		p.why = fmt.Sprintf(tellTooMany, r.loop.limits.Calls)
		return p
	case tool == nil:
		p.why = fmt.Sprintf(tellNoTool, r.names())
		return p
	case !isObject(call.Arguments):
		p.why = tellNoObject
		return p
	}
	asked := call.Arguments
	if canonical, err := path.CanonicalJSON([]byte(asked)); err == nil {
		asked = string(canonical)
	}
	p.key = call.Name + "\x00" + asked
	if r.done[p.key] {
		p.why = tellRepeated
		return p
	}
	r.done[p.key] = true
	p.tool = tool
	return p
}

// tool returns the tool with a name, or nil if the request offers none of that name: it may
// be for others than the one who asks.
//
//nolint:ireturn // it is one of heddle's or one of a server's
func (r *run) tool(name string) Tool {
	if !slices.ContainsFunc(r.request.Path.Tools, func(t path.Tool) bool { return t.Name == name }) {
		return nil
	}
	if at := slices.IndexFunc(r.loop.specs, func(t path.Tool) bool { return t.Name == name }); at >= 0 {
		return r.loop.tools[at]
	}
	if lent := r.loop.servers.tool(name); lent != nil {
		return lent
	}
	return nil
}

// parallelCalls is the number of calls of one answer that are made at a time.
const parallelCalls = 4

// make makes calls and waits for them.
func (r *run) make(ctx context.Context, all []planned) {
	ctx, cancel := context.WithTimeout(ctx, r.loop.limits.Time-r.spent)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(parallelCalls)
	started := time.Now()
	for i := range all {
		if p := &all[i]; p.tool != nil {
			r.show.Doing(p.call.Name)
			group.Go(func() error {
				r.call(ctx, p)
				return nil
			})
		}
	}
	_ = group.Wait() // each call's error is its own
	r.spent += time.Since(started)
}

var errPanicked = errors.New("the tool panicked")

// call makes a call. A panic of the tool becomes the call's error.
func (r *run) call(ctx context.Context, p *planned) {
	defer func() {
		if cause := recover(); cause != nil {
			p.err = errPanicked
			r.loop.log.ErrorContext(ctx, "a tool panicked, the model goes on without", "tool", p.call.Name, "stack", string(debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, r.loop.limits.Call)
	defer cancel()
	p.result, p.err = p.tool.Call(ctx, Call{Arguments: []byte(p.call.Arguments), Place: r.place, Model: r.request.Model})
}

// told adds the result of a call to the outcome. It returns what the model reads.
func (r *run) told(ctx context.Context, p *planned) string {
	if p.tool == nil {
		return p.why
	}
	if _, outside := p.tool.(*lent); outside && !slices.Contains(r.Outside, p.call.Name) {
		r.Outside = append(r.Outside, p.call.Name)
	}
	r.charge(p.result.Usage)
	if p.result.Branch != nil {
		p.result.Branch.Call = p.call.ID
		r.Branches = append(r.Branches, *p.result.Branch)
	}
	if p.err == nil {
		p.err = r.add(p.result.Files)
	}
	if p.err != nil {
		delete(r.done, p.key)
		return r.failure(ctx, p.call.Name, p.err)
	}
	r.Sources = append(r.Sources, p.result.Sources...)
	r.Once = r.Once || p.result.Once
	return cmp.Or(p.result.Text, tellNothing)
}

// failure returns what the model reads about a call that failed.
func (r *run) failure(ctx context.Context, tool string, err error) string {
	r.Once = true // another time it may be done
	if words, ok := errors.AsType[RefusalError](err); ok {
		return "Not done: " + string(words)
	}
	r.failed = true
	r.loop.log.WarnContext(ctx, "a tool failed, the model goes on without", "tool", tool, "error", err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return tellStalled
	case llm.KindOf(err) == llm.Limited:
		return tellSpent
	}
	return tellFailed
}

// clip returns the beginning of a result that the model reads.
func (r *run) clip(text string) string {
	runes := []rune(strings.ToValidUTF8(text, string(utf8.RuneError)))
	most := r.loop.limits.Result
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most]) + fmt.Sprintf(tellCut, len(runes)-most)
}

func (r *run) names() string {
	names := make([]string, len(r.request.Path.Tools))
	for i, tool := range r.request.Path.Tools {
		names[i] = tool.Name
	}
	return strings.Join(names, ", ")
}
