package tools

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// The errors of a loop. The outcome holds what was said by then.
var (
	// ErrEndless reports that the model kept calling tools beyond all bounds.
	ErrEndless = errors.New("the model called tools without end")
	// ErrFailed reports that a tool failed and the model then said nothing.
	ErrFailed = errors.New("a tool failed")
)

// Waiting stands for a tool's name while the model is slow to begin its answer.
const Waiting = "waiting"

// Show receives an answer as it comes.
type Show interface {
	Append(text string)
	// Replace shows text instead of everything so far.
	Replace(text string)
	// Doing is called with the name of the running tool, with Waiting, or with "" if
	// neither is the case. It may be called from any goroutine.
	Doing(tool string)
}

// Limits bounds the tools of one answer. A zero field is the default named beside it.
type Limits struct {
	Rounds int           // of calls; 6
	Calls  int           // in one round; 8
	Time   time.Duration // of all calls together; 3 minutes
	Call   time.Duration // of one call; 1 minute
	Result int           // characters of a result that the model reads; 16,000
}

// orDefaults returns the limits with defaults for those that are zero.
func (l Limits) orDefaults() Limits {
	return Limits{
		Rounds: cmp.Or(l.Rounds, 6), Calls: cmp.Or(l.Calls, 8), Result: cmp.Or(l.Result, 16_000),
		Time: cmp.Or(l.Time, 3*time.Minute), Call: cmp.Or(l.Call, time.Minute),
	}
}

// Loop asks a model that may call tools. It may be used by several goroutines.
type Loop struct {
	model   *llm.Client
	tools   []Tool
	specs   []path.Tool // of tools
	servers *Servers
	limits  Limits
	log     *slog.Logger
}

// NewLoop returns a loop over tools, whose names must differ, and over those that servers
// lend. A request names those that may be called; if it names none, the model is asked
// once. If log is nil, nothing is logged.
func NewLoop(model *llm.Client, tools []Tool, servers *Servers, limits Limits, log *slog.Logger) *Loop {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	specs := make([]path.Tool, len(tools))
	for i, tool := range tools {
		specs[i] = tool.Spec()
	}
	return &Loop{model: model, tools: tools, specs: specs, servers: servers, limits: limits.orDefaults(), log: log}
}

// Model returns the model that the loop asks.
func (l *Loop) Model() *llm.Client { return l.model }

// Offered returns its own tools, and those that servers lend it now. Callers must not change them.
func (l *Loop) Offered() conversation.Offered {
	return conversation.Offered{Own: l.specs, Lent: l.servers.Lent()}
}

// Outcome is an answer with the calls and requests that led to it.
type Outcome struct {
	// Answer is the model's last answer, with the text and the usage of all of them.
	Answer llm.Answer
	// Turns follow those of the request: the calls, their results and, if it has any
	// content, the turn of the last answer.
	Turns []path.Turn
	// Requests are all requests that were sent, in order.
	Requests []Request
	Files    []File
	Sources  []graph.Message
	Branches []Branch
	Outside  []string // the tools of servers that were called
	Once     bool     // see Result.Once
}

// Request is one of the requests that led to an answer: the original one, followed by
// the first Turns of the outcome's turns.
type Request struct {
	Hash    path.Hash
	Turns   int
	Model   string      // see llm.Answer.Asked
	Without []string    // see llm.Answer.Without
	Tokens  []llm.Token // see llm.Answer.Tokens
}

// Run asks until the model has answered. Its error is an *llm.Error, an error of this
// package, or the cause of ctx.
func (l *Loop) Run(ctx context.Context, request llm.Request, place Place, show Show) (Outcome, error) {
	r := run{loop: l, request: request, place: place, show: show, done: make(map[string]bool), last: len(request.Path.Tools) == 0}
	for round := 1; ; round++ {
		err := r.ask(ctx)
		if err != nil || r.Answer.FinishReason != llm.FinishToolCalls {
			return r.end(err)
		}
		if r.last {
			return r.end(ErrEndless)
		}
		r.last = round >= l.limits.Rounds
		r.answerCalls(ctx)
		if ctx.Err() != nil {
			return r.end(context.Cause(ctx))
		}
	}
}

// run is the state of one Run.
type run struct {
	Outcome

	loop    *Loop
	request llm.Request
	place   Place
	show    Show

	text    strings.Builder
	usage   llm.Usage
	dropped []string
	calls   []path.ToolCall // of the last answer
	done    map[string]bool // keys of the calls that were made
	next    int             // tokens that the next request takes, with its answer
	spent   time.Duration   // on calls
	failed  bool            // a tool has failed
	last    bool            // the model was told to stop calling
}

// ask sends one request and adds its answer to the outcome.
func (r *run) ask(ctx context.Context) error {
	r.request.Since = r.Turns
	said, begun := r.text.Len() > 0, false
	r.request.Again = func() {
		begun = false
		r.show.Replace(r.text.String())
	}
	var late atomic.Bool
	r.request.Late = func() {
		late.Store(true)
		r.show.Doing(Waiting)
	}
	answer, err := r.loop.model.Stream(ctx, r.request, func(piece string) {
		if late.CompareAndSwap(true, false) {
			r.show.Doing("")
		}
		if piece == "" { // it reasons
			return
		}
		if said && !begun {
			r.show.Append("\n\n")
		}
		begun = true
		r.show.Append(piece)
	})
	r.Requests = append(r.Requests, Request{Hash: answer.RequestHash, Turns: len(r.Turns), Model: answer.Asked, Without: answer.Without, Tokens: answer.Tokens})
	if said && answer.Text != "" {
		r.text.WriteString("\n\n")
	}
	r.text.WriteString(answer.Text)
	r.charge(answer.Usage)
	called := 0 // bytes
	for i := range answer.ToolCalls {
		called += len(answer.ToolCalls[i].Arguments)
	}
	r.next = answer.Usage.Prompt + max(answer.Usage.Completion, called/bytesPerToken) + r.request.Path.Options.MaxTokens
	for _, name := range answer.Dropped {
		if !slices.Contains(r.dropped, name) {
			r.dropped = append(r.dropped, name)
		}
	}
	r.Answer, r.calls = answer, answer.ToolCalls
	turn := path.Turn{Role: path.RoleAssistant}
	if answer.Text != "" {
		turn.Parts = append(turn.Parts, path.Text(answer.Text))
	}
	if err == nil && answer.FinishReason == llm.FinishToolCalls {
		for i := range r.calls {
			call := sendable(r.calls[i])
			call.Model = answer.Asked
			turn.Parts = append(turn.Parts, call)
		}
		r.request.Beside = append(r.request.Beside, answer.Beside)
	}
	if len(turn.Parts) > 0 {
		r.Turns = append(r.Turns, turn)
	}
	return err
}

func (r *run) charge(usage llm.Usage) {
	r.usage.Prompt += usage.Prompt
	r.usage.Completion += usage.Completion
	r.usage.Cached += usage.Cached
}

// end returns the outcome. If the model says nothing more after text or files, that is
// an answer. Calls that were not made are not part of it.
func (r *run) end(err error) (Outcome, error) {
	r.show.Doing("")
	r.Answer.Text, r.Answer.Usage, r.Answer.Dropped = r.text.String(), r.usage, r.dropped
	if llm.KindOf(err) == llm.Empty {
		switch {
		case strings.TrimSpace(r.Answer.Text) != "" || len(r.Files) > 0:
			err = nil
			r.Answer.FinishReason = llm.FinishStop
		case r.failed:
			err = ErrFailed
		}
	}
	if errors.Is(err, ErrEndless) {
		r.withdraw()
	}
	if len(r.Requests) == 1 {
		r.Turns, r.Requests = nil, nil // the answer says it all
	}
	return r.Outcome, err
}

// withdraw removes the calls without results from the last turn.
func (r *run) withdraw() {
	r.Answer.ToolCalls = nil
	last := &r.Turns[len(r.Turns)-1]
	last.Parts = slices.DeleteFunc(last.Parts, func(part path.Part) bool {
		_, isCall := part.(path.ToolCall)
		return isCall
	})
	if len(last.Parts) == 0 {
		r.Turns = r.Turns[:len(r.Turns)-1]
	}
}
