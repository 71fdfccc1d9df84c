package work

import (
	"context"
	"sync"

	"heddle/graph"
)

// Inflight knows the questions that are being answered, so that deleting one ends its
// answer. Its methods may be called from any goroutine.
//
// mu guards cancels; it is never held while a question is answered.
type Inflight struct {
	mu      sync.Mutex
	cancels map[graph.MessageID]context.CancelCauseFunc
}

// NewInflight returns an Inflight that knows no question yet.
func NewInflight() *Inflight {
	return &Inflight{cancels: make(map[graph.MessageID]context.CancelCauseFunc)}
}

// Begin returns the context in which to answer a question, and the function to call
// when that is over. A question is answered once at a time.
func (f *Inflight) Begin(ctx context.Context, question graph.MessageID) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancels[question] = cancel
	return ctx, func() {
		cancel(nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.cancels, question)
	}
}

// Gone ends the answers to questions that were deleted: their contexts end with
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
