package llm

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"heddle/internal/wait"
)

// tripAfter is the number of requests in a row that must fail or be late before a
// provider counts as away. It is more than the requests of two questions with their
// retries.
const tripAfter = 7

// longestAway bounds the time between two test requests to a provider that is away.
const longestAway = 5 * time.Second

var (
	// errLate is the error with which a request counts for the breaker if no answer has
	// begun within Config.Patience. The request itself continues.
	errLate = errors.New("no answer has begun yet")
	// errAway is the cause with which a late request is cancelled while its provider is
	// away.
	errAway = errors.New("the provider is away")
)

// gate admits requests to a provider: a bounded number at a time, and while the
// provider is away only an occasional one, to test whether it is back.
type gate struct {
	slots    chan struct{}
	patience time.Duration
	breaker  atomic.Pointer[gobreaker.TwoStepCircuitBreaker[any]]
}

func newGate(config Config) *gate {
	g := &gate{slots: make(chan struct{}, config.Parallel), patience: config.Patience}
	g.reset()
	return g
}

// reset forgets the results of earlier requests.
func (g *gate) reset() {
	g.breaker.Store(gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		Timeout:     min(g.patience/2, longestAway),
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= tripAfter },
		IsExcluded:  func(err error) bool { return errors.Is(err, context.Canceled) },
	}))
}

// away reports whether the provider counts as away.
func (g *gate) away() bool { return g.breaker.Load().State() != gobreaker.StateClosed }

// enter admits a request, or returns why it is refused. It waits for a slot for at most
// patience. The caller must call leave.
func (g *gate) enter(ctx context.Context) (*visit, *Error) {
	waiting, cancel := context.WithTimeout(ctx, g.patience)
	defer cancel()
	select {
	case g.slots <- struct{}{}:
	case <-waiting.Done():
		if ctx.Err() != nil {
			return nil, cancelled(ctx)
		}
		return nil, &Error{Kind: RateLimited}
	}
	done, err := g.breaker.Load().Allow()
	if err != nil {
		<-g.slots
		return nil, &Error{Kind: Away}
	}
	return &visit{gate: g, done: done, begun: make(chan struct{})}, nil
}

// visit is one admitted request.
type visit struct {
	gate  *gate
	done  func(error)
	begun chan struct{} // closed when an answer has begun

	begin, verdict sync.Once
	late           atomic.Bool
}

// began is called when an answer has begun, which proves that the provider is there. If
// the answer was late, the results of earlier requests are forgotten, because the
// provider was only slow.
func (v *visit) began() {
	v.begin.Do(func() { close(v.begun) })
	if v.late.Load() {
		v.gate.reset()
	}
	v.judge(nil)
}

// judge reports the result of the request to the breaker. Only the first call has an
// effect.
func (v *visit) judge(err error) { v.verdict.Do(func() { v.done(err) }) }

// watch calls late if no answer has begun after patience, and from then on ends the
// request once the provider is away, until ctx ends or stop is called.
func (v *visit) watch(ctx context.Context, late func(), end context.CancelCauseFunc) (stop func()) {
	return wait.Later(ctx, v.gate.patience, func(ctx context.Context) { v.watchLate(ctx, late, end) })
}

// watchLate is watch once patience is over for the first time.
func (v *visit) watchLate(ctx context.Context, late func(), end context.CancelCauseFunc) {
	for ctx.Err() == nil {
		select {
		case <-v.begun:
			return
		default:
		}
		if v.late.CompareAndSwap(false, true) {
			v.judge(errLate)
			if late != nil {
				late()
			}
		} else if v.gate.away() {
			end(errAway)
		}
		_ = wait.Until(ctx, v.begun, v.gate.patience) // the loop finds out what ended the wait
	}
}

// leave ends the visit with the error of its request, if any.
func (v *visit) leave(failure *Error) {
	switch {
	case failure == nil:
		v.judge(nil)
	case failure.Kind == Cancelled, failure.Kind == Limited:
		v.judge(context.Canceled)
	case failure.Kind == Unreachable, failure.Kind == Server, failure.Kind == Stalled:
		v.judge(failure)
	default: // any response proves that the provider is there
		v.judge(nil)
	}
	<-v.gate.slots
}
