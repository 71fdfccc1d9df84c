package work

import (
	"context"
	"sync"

	"heddle/graph"
)

// Inflight is the set of questions that are being answered. If a question is edited or
// deleted, its answer is cancelled. The methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held while a question is answered.
type Inflight struct {
	mu      sync.Mutex
	cancels map[graph.MessageID]context.CancelCauseFunc
	open    int // number of connections to Discord on which events flow
	cut     int // number of connections that are interrupted, and are being made again
	changes int // number of times that a connection began, was interrupted or ended
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
	if before := f.changes; f.open > 0 && f.cut == 0 {
		ctx = context.WithValue(ctx, heardKey{}, func() bool { return f.unchanged(before) })
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

// Edited cancels the answer to a question that was edited, with the cause ErrEdited.
func (f *Inflight) Edited(question graph.MessageID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel, ok := f.cancels[question]; ok {
		cancel(ErrEdited)
	}
}

// unchanged reports whether no connection began, was interrupted or ended since
// f.changes had the value changes.
func (f *Inflight) unchanged(changes int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changes == changes
}

// Connected records that a connection to Discord was opened for the first time.
func (f *Inflight) Connected() { f.change(1, 0) }

// Disconnected records that a connection was interrupted. Deletions may be missed until
// Reconnected or Ended is called for it.
func (f *Inflight) Disconnected() { f.change(-1, 1) }

// Reconnected records that an interrupted connection was opened again.
func (f *Inflight) Reconnected() { f.change(1, -1) }

// Ended records that an interrupted connection will not be opened again.
func (f *Inflight) Ended() { f.change(0, -1) }

func (f *Inflight) change(open, cut int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open += open
	f.cut += cut
	f.changes++
}
