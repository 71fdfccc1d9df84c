package work

import (
	"context"
	"sync"

	"heddle/graph"
)

// Inflight knows the questions that are being answered, so that the deletion of one
// ends its answer. Its methods may be called from any goroutine.
//
// mu guards the fields below it; it is never held while a question is answered.
type Inflight struct {
	mu      sync.Mutex
	cancels map[graph.MessageID]context.CancelCauseFunc
	deaf    int // the number of interrupted connections to Discord
	breaks  int // counts interruptions and returns of connections
}

// heardKey is the key of a context's func() bool: see Heard.
type heardKey struct{}

// Heard reports whether a deletion of the question that is answered under ctx would
// have been heard, that is, whether no connection to Discord was interrupted since
// Inflight.Begin.
func Heard(ctx context.Context) bool {
	heard, ok := ctx.Value(heardKey{}).(func() bool)
	return ok && heard()
}

// NewInflight returns an Inflight without questions.
func NewInflight() *Inflight {
	return &Inflight{cancels: make(map[graph.MessageID]context.CancelCauseFunc)}
}

// Begin returns the context in which to answer a question, and a function to call at
// the end. A question may be answered only once at a time.
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

// Gone ends the answers to questions that were deleted. Their contexts end with
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

// unbroken reports whether no connection was interrupted or came back since breaks had
// a value.
func (f *Inflight) unbroken(breaks int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.breaks == breaks
}

// Deaf notes that a connection to Discord was interrupted, so that deletions may not be
// heard.
func (f *Inflight) Deaf() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf++
	f.breaks++
}

// Hears notes that a connection to Discord is open, for the first time or again.
func (f *Inflight) Hears() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deaf = max(0, f.deaf-1)
	f.breaks++
}
