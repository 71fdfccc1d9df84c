package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"heddle/graph/path"
	"heddle/internal/telemetry"
	"heddle/internal/wait"
)

// Client asks one model of one provider. Its methods may be called from any goroutine.
type Client struct {
	config   Config
	http     *http.Client
	features features // its own lock, never held over I/O
	around   surrounds
	gate     *gate
}

// New checks config and returns a client. It makes no connection. Its error lists
// every fault.
func New(config Config) (*Client, error) {
	config = config.withDefaults()
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("set up the model: %w", err)
	}
	c := &Client{config: config, gate: newGate(config)}
	if config.HTTP == nil {
		transport := &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 64,
			WriteBufferSize:     64 << 10, // most requests leave in one piece
			IdleConnTimeout:     90 * time.Second,
			TLSHandshakeTimeout: 10 * time.Second,
		}
		config.HTTP = &http.Client{Transport: transport}
	}
	own := *config.HTTP
	own.CheckRedirect = sameHost
	c.http = &own
	c.features.drop(initialFeatures(config.Model))
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

// Model returns the name of the model.
func (c *Client) Model() string { return c.config.Model }

// Rejected returns the names of what the provider is known to reject in every request,
// such as "tools" or "images". Requests are sent without it.
func (c *Client) Rejected() []string {
	asked := selection{missed: c.features.get()}
	return asked.missing()
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Stream asks the model and returns its whole answer. If each is not nil, Stream calls
// it with every piece in order, and reads on when it returns.
//
// The error is always an *Error. The answer then holds what had arrived by then. Stream
// retries only before the first text, so that the pieces always add up to the answer's
// text. When ctx ends, the error's Kind is Cancelled.
func (c *Client) Stream(ctx context.Context, request Request, each func(Delta)) (Answer, error) {
	dropped := c.features.get()
	for retries := 0; ; {
		answer, failure := c.attempt(ctx, request, dropped, each)
		c.ended(answer.Usage, failure)
		switch {
		case failure == nil:
			c.features.answered(dropped, request.CacheKey)
			return answer, nil
		case answer.Text != "" || ctx.Err() != nil:
			return answer, failure
		case failure.rejected&^dropped != 0:
			dropped |= failure.rejected
			if failure.remember {
				c.features.drop(failure.rejected)
			}
			continue
		case c.features.doubtful(failure, dropped, request.CacheKey):
			dropped |= featureCacheKey
			continue
		}
		pause := c.backoff(retries, failure.RetryAfter)
		if !failure.Retryable || retries >= c.config.Retries || pause > c.config.MaxWait {
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
	wait := min(c.config.Backoff<<min(retries, 16), c.config.MaxWait)
	spread := time.Duration(rand.Int64N(int64(wait)/2+1)) - wait/4 //nolint:gosec // spreads load, hides nothing.
	return min(wait+spread, c.config.MaxWait)
}

// attempt makes one request if the provider is there.
func (c *Client) attempt(ctx context.Context, request Request, dropped feature, each func(Delta)) (Answer, *Error) {
	waiting := telemetry.Wait(ctx, telemetry.ForModel)
	visit, failure := c.gate.enter(ctx)
	if failure != nil {
		waiting.Left()
		return Answer{}, failure
	}
	waiting.Over()
	asking, end := context.WithCancelCause(ctx)
	stop := visit.watch(asking, request.Late, end)
	answer, failure := c.ask(asking, request, dropped, visit.began, each)
	visit.leave(failure)
	end(nil)
	stop()
	if failure != nil && ctx.Err() == nil && errors.Is(context.Cause(asking), errAway) {
		failure = &Error{Kind: Away}
	}
	return answer, failure
}

// ask makes one request. It calls began when an answer has begun.
func (c *Client) ask(ctx context.Context, request Request, dropped feature, began func(), each func(Delta)) (Answer, *Error) {
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	chat, from, fields, chosen := compose(ctx, c.config.Model, request, dropped)
	if caller.Err() != nil {
		return Answer{}, cancelled(caller)
	}
	body, err := c.around.encode(chat, from, fields)
	if err != nil {
		return Answer{}, &Error{Kind: BadRequest}
	}
	settle, err := c.config.Meter.Reserve(ctx, &request)
	switch {
	case caller.Err() != nil && err != nil:
		return Answer{}, cancelled(caller)
	case err != nil:
		return Answer{}, &Error{Kind: Limited, cause: err}
	}
	x := &exchange{client: c.http, watch: startWatch(cancel, c.config.FirstByte, c.config.Idle), began: began}
	defer x.watch.stop()

	assembly := assembly{each: each, keepTokens: c.config.KeepTokens}
	err = c.run(ctx, x, body, &assembly)
	answer := assembly.answer()
	answer.Asked = c.config.Model
	settle(x.spent(&answer))
	if !x.sent {
		body = nil
	}
	answer.Request, answer.RequestHash = body, path.RequestHash(body)
	answer.Dropped, answer.Without = chosen.missing(), names(dropped)
	switch {
	case err == nil:
		return answer, nil
	case caller.Err() != nil:
		return answer, cancelled(caller)
	case errors.Is(context.Cause(ctx), errStalled) && !errors.Is(err, errRefused): // else its status says more
		return answer, &Error{Kind: Stalled, Retryable: true}
	}
	return answer, x.failure(err, chosen.sent)
}

// run sends a request and reads its answer to the end.
func (c *Client) run(ctx context.Context, x *exchange, body []byte, assembly *assembly) error {
	if err := x.post(ctx, c.config, body); err != nil {
		return err
	}
	defer x.answer.Close() //nolint:errcheck // everything of use was read.
	if err := x.read(assembly); err != nil && (assembly.finish == "" || isCancelled(ctx)) {
		return err // after its finish reason an answer lacks only its usage, at most
	}
	if failure := assembly.end(); failure != nil {
		return failure
	}
	x.drain()
	return nil
}

// isCancelled reports whether ctx ended, but not because the server fell silent.
func isCancelled(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errStalled)
}
