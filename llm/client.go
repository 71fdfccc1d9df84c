package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"heddle/graph/path"
	"heddle/internal/wait"
)

// Client asks a model of a provider. It may have others in its place: those that requests may
// name, and those that are asked in turn if it fails before it has said anything. Its methods
// may be called from any goroutine, but those that add others only before the first request.
type Client struct {
	config   Config
	offered  []*Client
	next     []*Client
	http     *http.Client
	learned  learned
	window   window
	breaker  atomic.Pointer[gobreaker.TwoStepCircuitBreaker[any]]
	unopened atomic.Bool     // the model's reasoning ends with a tag and does not begin with one
	counter  func() *Counter // made by the first answer that is long
}

var (
	// errLate is the error with which a request counts for the breaker if no answer has
	// begun within Config.Patience. The request itself continues.
	errLate = errors.New("no answer has begun yet")
	// errAway is the cause with which a late request ends once its provider is away.
	errAway = errors.New("the provider is away")
)

// maxWait is the longest wait before a retry. If the server asks for more there is none.
const maxWait = 30 * time.Second

// New checks config and returns a client. It makes no connection. Its error lists
// every fault.
func New(config Config) (*Client, error) {
	config = config.withDefaults()
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("set up the model: %w", err)
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 64,
		MaxConnsPerHost:     128,
		WriteBufferSize:     64 << 10, // most requests leave in one piece
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}
	c := &Client{
		config:  config,
		http:    &http.Client{Transport: transport, CheckRedirect: sameHost}, // a Timeout would cut long answers
		counter: sync.OnceValue(func() *Counter { return NewCounter(config.Model) }),
	}
	c.breaker.Store(c.newBreaker())
	return c, nil
}

// sameHost allows redirects within one host and scheme only, because the body contains
// people's text.
func sameHost(next *http.Request, before []*http.Request) error {
	const most = 10
	if from := before[0].URL; next.URL.Host != from.Host || next.URL.Scheme != from.Scheme || len(before) >= most {
		return http.ErrUseLastResponse
	}
	return nil
}

// Offer adds a model that requests may name. The Client closes it.
func (c *Client) Offer(other *Client) { c.offered = append(c.offered, other) }

// FallBackOn adds a model that is asked if this one fails, and those added before. The Client
// closes it.
func (c *Client) FallBackOn(other *Client) { c.next = append(c.next, other) }

// Model returns the name of the model.
func (c *Client) Model() string { return c.config.Model }

// Refusals returns, by the name of each model of the Client, what its provider is known to
// refuse.
func (c *Client) Refusals() map[string][]string {
	refusals := map[string][]string{}
	for _, model := range slices.Concat([]*Client{c}, c.offered, c.next) {
		refusals[model.Model()] = model.Rejected()
	}
	return refusals
}

// Close closes idle connections.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
	for _, other := range slices.Concat(c.offered, c.next) {
		other.Close()
	}
}

// Stream asks the model that the request names, or else the Client's, and returns its whole
// answer. If each is not nil, Stream calls it with every piece of the answer's text in order,
// and with "" when the model only reasons, and reads on when it returns.
//
// The error is always an *Error. The answer then holds what had arrived by then, and
// Answer.Asked names the model that answered, or the last that failed. Stream asks again, or
// another model, only before the first text, so that the pieces since the last call of
// Request.Again always add up to the answer's text. When ctx ends, the error's Kind is Cancelled.
func (c *Client) Stream(ctx context.Context, request Request, each func(piece string)) (Answer, error) {
	asked := c
	if at := slices.IndexFunc(c.offered, func(o *Client) bool { return o.Model() == request.Model }); at >= 0 {
		asked = c.offered[at]
	}
	answer, failure := asked.retried(ctx, request, each)
	for _, next := range c.next {
		if failure == nil || !failure.Kind.IsOfProvider() || answer.Text != "" || ctx.Err() != nil {
			break
		}
		if c.config.Failed != nil {
			c.config.Failed(asked.Model(), failure.Kind, next.Model())
		}
		asked = next
		answer, failure = asked.retried(ctx, request, each)
	}
	if failure != nil {
		return answer, failure
	}
	return answer, nil
}

// IsOfProvider reports whether the provider and not the request is to blame, so that
// another provider may do better.
func (k Kind) IsOfProvider() bool {
	switch k {
	case Unreachable, Auth, NotFound, RateLimited, Quota, BadRequest, Server, Stalled, Malformed, Away:
		return true
	case ContextTooLong, Refused, Cut, Empty, Cancelled, Limited:
	}
	return false
}

// retried asks the model until it answers, as far as that is worth a try. A request that the
// provider refuses is made plainer.
func (c *Client) retried(ctx context.Context, request Request, each func(piece string)) (Answer, *Error) {
	plan := c.learned.plan(time.Now())
	for retries := 0; ; {
		answer, made, failure := c.attempt(ctx, request, plan.without, each)
		c.ended(answer.Usage, failure)
		switch {
		case failure == nil:
			if news := c.learned.settle(plan, &made, time.Now()); len(news) > 0 && c.config.Refused != nil {
				c.config.Refused(c.config.Model, news)
			}
			c.measure(ctx, request, &made, answer.Usage)
			return answer, nil
		case answer.Text != "" || ctx.Err() != nil:
			return answer, failure
		case plan.plainer(failure, &made):
			continue
		}
		pause := c.backoff(retries, failure.RetryAfter)
		if !failure.Retryable || retries >= c.config.Retries || pause > maxWait {
			return answer, failure
		}
		if wait.For(ctx, pause) != nil {
			return answer, cancelled(ctx)
		}
		retries++
	}
}

// ended calls Config.Ended.
func (c *Client) ended(usage Usage, failure *Error) {
	if c.config.Ended == nil {
		return
	}
	var kind Kind
	if failure != nil {
		kind = failure.Kind
	}
	c.config.Ended(usage, kind)
}

// backoff returns the wait before the next attempt: retryAfter if the server asked for
// it, else a wait that doubles with each retry, plus or minus a quarter.
func (c *Client) backoff(retries int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 {
		return retryAfter
	}
	wait := min(c.config.Backoff<<min(retries, 16), maxWait)
	spread := time.Duration(rand.Int64N(int64(wait)/2+1)) - wait/4 //nolint:gosec // spreads load, hides nothing.
	return min(wait+spread, maxWait)
}

// attempt makes one request if the provider is there. A request whose answer has not begun
// within Config.Patience counts as failed, and ends once the provider counts as away. If
// its answer begins after all, the provider was only slow, and earlier failures are
// forgotten.
func (c *Client) attempt(ctx context.Context, request Request, without []string, each func(piece string)) (Answer, sent, *Error) {
	done, err := c.breaker.Load().Allow()
	if err != nil {
		return Answer{}, sent{}, &Error{Kind: Away}
	}
	patience := c.config.Patience
	if slices.Contains(without, featureStream) {
		patience *= unstreamed
	}
	var judged sync.Once
	judge := func(err error) { judged.Do(func() { done(err) }) }
	asking, end := context.WithCancelCause(ctx)
	defer end(nil)
	var late atomic.Bool
	stop := wait.Later(asking, patience, func(waiting context.Context) {
		late.Store(true)
		judge(errLate)
		if request.Late != nil {
			request.Late()
		}
		for wait.For(waiting, patience) == nil {
			if c.breaker.Load().State() != gobreaker.StateClosed {
				end(errAway)
				return
			}
		}
	})
	answer, made, failure := c.ask(asking, request, without, func() {
		stop()
		if late.Load() {
			c.breaker.Store(c.newBreaker())
		}
	}, each)
	stop()
	if failure != nil && ctx.Err() == nil && errors.Is(context.Cause(asking), errAway) {
		failure = &Error{Kind: Away}
	}
	judge(outcome(failure))
	return answer, made, failure
}

// tripAfter is the number of requests in a row that must fail or be late before a provider
// counts as away. It is more than the requests of two questions with their retries.
const tripAfter = 7

// newBreaker returns what refuses requests while the provider is away, except one every
// few seconds.
func (c *Client) newBreaker() *gobreaker.TwoStepCircuitBreaker[any] {
	return gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		Timeout:     min(c.config.Patience/2, 5*time.Second),
		ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= tripAfter },
		IsExcluded:  func(err error) bool { return errors.Is(err, context.Canceled) },
	})
}

// outcome returns what a request says of its provider: an error if that may be away. Any
// response proves that it is there.
func outcome(failure *Error) error {
	switch {
	case failure == nil:
		return nil
	case failure.Kind == Cancelled, failure.Kind == Limited:
		return context.Canceled
	case failure.Kind == Unreachable, failure.Kind == Server, failure.Kind == Stalled:
		return failure
	default:
		return nil
	}
}

// ask makes one request, and returns what it was made of. It calls began when an answer has
// begun.
func (c *Client) ask(ctx context.Context, request Request, without []string, began func(), each func(piece string)) (Answer, sent, *Error) {
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	chat, made := compose(c.config.Model, request, without)
	if caller.Err() != nil {
		return Answer{}, made, cancelled(caller)
	}
	body, err := json.Marshal(chat)
	if err != nil {
		return Answer{}, made, &Error{Kind: BadRequest}
	}
	whole, err := c.returned(body, &chat, request.Beside, &made)
	if err != nil {
		return Answer{}, made, &Error{Kind: BadRequest}
	}
	settle, failure := c.reserve(ctx, &request)
	if failure != nil {
		return Answer{}, made, failure
	}
	silence := c.config.Timeout
	if !chat.Stream {
		silence *= unstreamed
	}
	x := &exchange{
		client: c, assembly: c.assembly(ctx, &request, made, each),
		timer: time.AfterFunc(silence, func() { cancel(errStalled) }), idle: silence,
	}
	defer x.timer.Stop()
	failure = x.run(ctx, whole, began)
	c.learn(&x.assembly.thinking)
	answer := x.assembly.answer()
	if !c.config.KeepTokens {
		answer.Tokens = nil
	}
	settle(x.spent(answer.Usage))
	answer.RequestHash = path.RequestHash(body)
	answer.Without = slices.Clone(without)
	for _, feature := range made.needed {
		if slices.Contains(without, feature) {
			answer.Dropped = append(answer.Dropped, feature)
		}
	}
	switch {
	case failure == nil:
	case caller.Err() != nil:
		failure = cancelled(caller)
	case errors.Is(context.Cause(ctx), errStalled) && failure.Status == 0: // else its status says more
		failure = &Error{Kind: Stalled, Retryable: true}
	}
	return answer, made, failure
}

// reserve has the request charged before it is made.
func (c *Client) reserve(ctx context.Context, request *Request) (settle func(Spent), failure *Error) {
	if c.config.Meter == nil {
		return func(Spent) {}, nil
	}
	settle, err := c.config.Meter.Reserve(ctx, request)
	switch {
	case err == nil:
		return settle, nil
	case ctx.Err() != nil:
		return nil, cancelled(ctx)
	default:
		return nil, &Error{Kind: Limited, cause: err}
	}
}

// unstreamed is how much longer an answer that comes whole may take to begin than one that is
// streamed.
const unstreamed = 10
