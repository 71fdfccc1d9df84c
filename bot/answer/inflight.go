package answer

import (
	"context"
	"slices"
	"sync"

	"heddle/bot/conversation"
	"heddle/graph"
)

// Inflight is the set of questions that are being answered. If a question is edited or
// deleted, its answer is cancelled. The methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held while a question is answered.
type Inflight struct {
	mu      sync.Mutex
	answers map[*inflight]struct{}
	flowing bool // as Flows was told last
	changes int  // number of calls of Flows
}

// inflight is an answer that is given to a question.
type inflight struct {
	question graph.MessageID
	cancel   context.CancelCauseFunc
}

// heardKey is the context key of the func() bool that Heard calls.
type heardKey struct{}

// Heard reports whether heddle would have heard of a deletion of the question that is answered
// under ctx: events have flowed on all connections to Discord since Inflight.Begin.
func Heard(ctx context.Context) bool {
	heard, ok := ctx.Value(heardKey{}).(func() bool)
	return ok && heard()
}

// NewInflight returns an Inflight without questions.
func NewInflight() *Inflight { return &Inflight{answers: make(map[*inflight]struct{})} }

// Begin returns the context in which to answer a question, and a function that must be
// called when the answer has ended.
func (f *Inflight) Begin(ctx context.Context, question graph.MessageID) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &inflight{question, cancel}
	f.mu.Lock()
	f.answers[one] = struct{}{}
	flows, before := f.flowing, f.changes
	f.mu.Unlock()
	if flows {
		ctx = context.WithValue(ctx, heardKey{}, func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.changes == before
		})
	}
	return ctx, func() {
		cancel(nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.answers, one)
	}
}

// Gone cancels the answers to questions that were deleted, with the cause
// conversation.ErrQuestionGone.
func (f *Inflight) Gone(questions []graph.MessageID) {
	f.end(conversation.ErrQuestionGone, questions...)
}

// Edited cancels the answers to a question that was edited, with the cause ErrEdited.
func (f *Inflight) Edited(question graph.MessageID) { f.end(ErrEdited, question) }

func (f *Inflight) end(cause error, questions ...graph.MessageID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for one := range f.answers {
		if slices.Contains(questions, one.question) {
			one.cancel(cause)
		}
	}
}

// Flows records that a connection to Discord began or was interrupted, and whether events flow
// on all connections of this process now.
func (f *Inflight) Flows(all bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flowing = all
	f.changes++
}
