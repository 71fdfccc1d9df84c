package tools

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// Faults of a loop. Whatever was said by then is in the outcome.
var (
	// ErrEndless says that the model went on calling tools beyond all bounds.
	ErrEndless = errors.New("the model called tools without end")
	// ErrFailed says that a tool failed and the model then had nothing to say.
	ErrFailed = errors.New("a tool failed")
)

// Model streams answers; llm.Client is one.
type Model interface {
	Stream(ctx context.Context, request llm.Request, each func(llm.Delta)) (llm.Answer, error)
}

// Show is shown an answer as it comes.
type Show interface {
	Append(text string)
	// Doing names the tool that is at work; "" says that none is.
	Doing(tool string)
}

// Limits bound what the tools of one answer may take. Zero values mean the defaults.
type Limits struct {
	Rounds int           // of calls; 6
	Calls  int           // in one round; 8
	Time   time.Duration // of all calls together; 3 minutes
	Call   time.Duration // of one call; 1 minute
	Tokens int           // charged for the answer before it must come to its end; 200,000
	Result int           // characters of a result that the model is given; 16,000
}

func (l Limits) orDefaults() Limits {
	orDefault := func(value *int, otherwise int) {
		if *value <= 0 {
			*value = otherwise
		}
	}
	orDefault(&l.Rounds, 6)
	orDefault(&l.Calls, 8)
	orDefault(&l.Tokens, 200_000)
	orDefault(&l.Result, 16_000)
	if l.Time <= 0 {
		l.Time = 3 * time.Minute
	}
	if l.Call <= 0 {
		l.Call = time.Minute
	}
	return l
}

// Loop asks a model that may call tools. It may be used by several goroutines at once.
type Loop struct {
	model  Model
	tools  []Tool
	specs  []path.Tool // of tools
	limits Limits
	log    *slog.Logger
}

// NewLoop makes a loop over tools with names of their own; without tools it asks
// the model once. A nil log logs nothing.
func NewLoop(model Model, tools []Tool, limits Limits, log *slog.Logger) *Loop {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	specs := make([]path.Tool, len(tools))
	for i, tool := range tools {
		specs[i] = tool.Spec().Prepared()
	}
	return &Loop{model: model, tools: tools, specs: specs, limits: limits.orDefaults(), log: log}
}

// Specs describe the tools to the model. They are everybody's and must not be changed.
func (l *Loop) Specs() []path.Tool { return l.specs }

// Outcome is an answer with all that led to it.
type Outcome struct {
	// Answer is the last one that the model gave, with the text of all of them and
	// what all of them cost.
	Answer llm.Answer
	// Turns are what came behind the request's: the calls, their results and, where
	// there were any, the answer's last turn.
	Turns []path.Turn
	// Requests are all requests that were sent, in order.
	Requests []Request
	Files    []File
	Sources  []graph.Message
	Branches []Branch
	Once     bool // see Result.Once
}

// Request is one request of several that led to an answer: the one that was asked
// for, with the first Turns of the outcome's turns behind it.
type Request struct {
	Hash    path.Hash
	Turns   int
	Without []string // see llm.Answer.Without
}

// Run asks until the model has answered. The error is an *llm.Error or one of this
// package.
func (l *Loop) Run(ctx context.Context, request llm.Request, place Place, show Show) (Outcome, error) {
	r := run{loop: l, request: request, place: place, show: show, done: make(map[string]bool), last: len(l.tools) == 0}
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

// run is an answer under way.
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
	done    map[string]bool // the calls that were made, by what they ask for
	spent   time.Duration   // on calls
	failed  bool            // a tool did
	last    bool            // the model was told not to call any more
}

// ask sends one request and takes in its answer.
func (r *run) ask(ctx context.Context) error {
	r.request.Since = r.Turns
	said, begun := r.text.Len() > 0, false
	answer, err := r.loop.model.Stream(ctx, r.request, func(d llm.Delta) {
		if d.Text == "" {
			return
		}
		if said && !begun {
			r.show.Append("\n\n")
		}
		begun = true
		r.show.Append(d.Text)
	})
	r.Requests = append(r.Requests, Request{Hash: answer.RequestHash, Turns: len(r.Turns), Without: answer.Without})
	if said && answer.Text != "" {
		r.text.WriteString("\n\n")
	}
	r.text.WriteString(answer.Text)
	r.charge(answer.Usage)
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
			turn.Parts = append(turn.Parts, sendable(r.calls[i]))
		}
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

// end gives what came of it all. A model that has nothing to add to what it said
// or made before has answered; what it called for in vain is no part of the answer.
func (r *run) end(err error) (Outcome, error) {
	r.show.Doing("")
	r.Answer.Text, r.Answer.Usage, r.Answer.Dropped = r.text.String(), r.usage, r.dropped
	if llm.KindOf(err) == llm.Empty {
		switch {
		case r.Answer.Text != "" || len(r.Files) > 0:
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

// withdraw takes the calls that nobody answers out of the last turn.
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
