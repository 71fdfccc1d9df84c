package bot

import (
	"context"
	"sync"

	"heddle/graph"
)

// underway knows the questions that are being answered, so that the answer to one
// that is deleted ends.
//
// mu guards cancels; it is never held while a question is answered.
type underway struct {
	mu      sync.Mutex
	cancels map[graph.MessageID]context.CancelCauseFunc
}

func newUnderway() *underway {
	return &underway{cancels: make(map[graph.MessageID]context.CancelCauseFunc)}
}

// begin gives the context in which a question is answered, and what ends it. The
// answers to one question come one after the other.
func (u *underway) begin(ctx context.Context, question graph.MessageID) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cancels[question] = cancel
	return ctx, func() {
		cancel(nil)
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.cancels, question)
	}
}

// gone ends the answers to questions that were deleted.
func (u *underway) gone(questions []graph.MessageID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, question := range questions {
		if cancel, ok := u.cancels[question]; ok {
			cancel(errTriggerGone)
		}
	}
}
