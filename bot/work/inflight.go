package work

import (
	"context"
	"slices"
	"sync"

	"heddle/graph"
)

// Inflight is the set of questions that are being answered. If a question is edited or
// deleted, its answer is cancelled. The methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held while a question is answered.
type Inflight struct {
	flows func() bool // events flow on all connections to Discord

	mu      sync.Mutex
	answers map[*inflight]struct{}
	changes int // number of calls of Changed
}

// inflight is an answer that is given to a question.
type inflight struct {
	question graph.MessageID
	cancel   context.CancelCauseFunc
}

// heardKey is the context key of the func() bool that Heard calls.
type heardKey struct{}

// Heard reports whether heddle has been able to hear of a deletion of the question that
// is answered under ctx: whether no connection to Discord was interrupted since
// Inflight.Begin.
func Heard(ctx context.Context) bool {
	heard, ok := ctx.Value(heardKey{}).(func() bool)
	return ok && heard()
}

// NewInflight returns an Inflight without questions. flows reports whether events flow on all
// connections to Discord of this process, of which there is one at least.
func NewInflight(flows func() bool) *Inflight {
	return &Inflight{flows: flows, answers: make(map[*inflight]struct{})}
}

// Begin returns the context in which to answer a question, and a function that must be
// called when the answer has ended.
func (f *Inflight) Begin(ctx context.Context, question graph.MessageID) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	one := &inflight{question, cancel}
	f.mu.Lock()
	f.answers[one] = struct{}{}
	before := f.changes
	f.mu.Unlock()
	if f.flows() {
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
// ErrQuestionGone.
func (f *Inflight) Gone(questions []graph.MessageID) { f.end(ErrQuestionGone, questions...) }

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

// Changed records that a connection to Discord began or was interrupted.
func (f *Inflight) Changed() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes++
}
