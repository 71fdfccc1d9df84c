package work

import (
	"context"
	"sync"

	"heddle/graph"
)

// Inflight is the set of questions that are being answered. If a question is deleted,
// its answer is cancelled. The methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held while a question is answered.
type Inflight struct {
	mu      sync.Mutex
	cancels map[graph.MessageID]context.CancelCauseFunc
	deaf    int // number of connections to Discord that are interrupted now
	breaks  int // number of times that a connection was interrupted or came back
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

// NewInflight returns an Inflight without questions.
func NewInflight() *Inflight {
	return &Inflight{cancels: make(map[graph.MessageID]context.CancelCauseFunc)}
}

// Begin returns the context in which to answer a question, and a function that must be
// called when the answer has ended. A question must not be begun again before that.
func (f *Inflight) Begin(ctx context.Context, question graph.MessageID) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancels[question] = cancel
	if before := f.breaks; f.deaf == 0 {
		ctx = context.WithValue(ctx, heardKey{}, func() bool { return f.unbroken(before) })
	}
	return ctx, func() {
		cancel(nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.cancels, question)
	}
}

// Gone cancels the answers to questions that were deleted, with the cause
// ErrQuestionGone.
func (f *Inflight) Gone(questions []graph.MessageID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, question := range questions {
		if cancel, ok := f.cancels[question]; ok {
			cancel(ErrQuestionGone)
		}
	}
}

// unbroken reports whether no connection was interrupted or came back since f.breaks
// had the value breaks.
func (f *Inflight) unbroken(breaks int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.breaks == breaks
}

// Deaf records that a connection to Discord was interrupted. Deletions may be missed
// until Hears is called.
func (f *Inflight) Deaf() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf++
	f.breaks++
}

// Hears records that a connection to Discord was opened, for the first time or again.
func (f *Inflight) Hears() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf = max(0, f.deaf-1)
	f.breaks++
}
