package answer

import (
	"context"
	"errors"
	"time"

	"heddle/bot/conversation"
	"heddle/internal/wait"
)

// Why an answer ends early: the causes of contexts, and what Answer returns if the question is
// to be answered later or by somebody else.
var (
	// ErrShutdown means that heddle is stopping.
	ErrShutdown = errors.New("heddle is stopping")
	// ErrLost means that the lease has ended and another process may have taken over.
	ErrLost = errors.New("the claim was lost")
	// ErrUnsent means that Discord did not accept an answer, but may do so later.
	ErrUnsent = errors.New("the answer could not be sent yet")
	// ErrEdited means that the question was edited and is to be answered again.
	ErrEdited = errors.New("the question was edited")
)

// IsQuestionGone reports whether work under ctx has ended because its question was
// deleted.
func IsQuestionGone(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), conversation.ErrQuestionGone)
}

// IsLost reports whether work under ctx has ended because another process may have
// taken it over.
func IsLost(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrLost) }

// endingTimeout bounds the attempts to send the end of an answer.
const endingTimeout = 30 * time.Second

// Ending returns a context for finishing work under ctx. It goes on for flush after ctx
// has ended, for example because of a shutdown. It ends at once if ctx ends because its
// claim was lost, and after 30 seconds in any case.
func Ending(ctx context.Context, flush time.Duration) (context.Context, context.CancelFunc) {
	if IsLost(ctx) {
		return context.WithCancel(ctx)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endingTimeout)
	stop := context.AfterFunc(ctx, func() {
		if IsLost(ctx) || wait.For(ending, flush) == nil {
			cancel()
		}
	})
	return ending, func() { stop(); cancel() }
}

// outliving returns a context for cleaning up after work under ctx whose question was
// deleted. It ends only if the claim is lost.
func outliving(ctx context.Context) context.Context {
	if IsQuestionGone(ctx) {
		return context.WithoutCancel(ctx)
	}
	return ctx
}
