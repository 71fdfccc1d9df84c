package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

const (
	mostAttempts = 4 // attempts at one call, after a 5xx or network error, or a 429
	firstBackoff = 250 * time.Millisecond
)

// Get reads path. The error is an *Error if Discord answered.
func (r *REST) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	return r.Do(ctx, Call{Method: http.MethodGet, Path: path, Query: query})
}

// Do sends a call and returns the body of the response. It waits for rate limits, and
// repeats a call that failed if that is safe. If a wait would outlast the deadline of
// ctx, Do returns ErrWaitTooLong at once. The error is an *Error if Discord answered.
func (r *REST) Do(ctx context.Context, call Call) (json.RawMessage, error) {
	shape, _ := route(call.Path)
	contentType, body, err := encode(call)
	if err != nil {
		return nil, routeError(call.Method, shape, err)
	}
	lane := newLane(call.Method, call.Path)
	lane.expendable = call.Expendable
	var last error
	for attempt := 1; ; attempt++ {
		answer, err := r.once(ctx, call, lane, contentType, body)
		if err == nil {
			return answer, nil
		}
		if _, unsent := errors.AsType[*notSentError](err); last == nil || !unsent { // Discord's last answer says more than that no further attempt was made
			last = err
		}
		pause, again := retry(call, attempt, err)
		if !again || ctx.Err() != nil {
			return nil, routed(call.Method, shape, last)
		}
		r.log.DebugContext(ctx, "asking Discord again", "method", call.Method, "route", shape, "attempt", attempt, "pause", pause)
		if waitWithin(ctx, pause) != nil {
			return nil, routed(call.Method, shape, last)
		}
	}
}

// once waits for a slot and sends one request.
func (r *REST) once(ctx context.Context, call Call, l lane, contentType string, body []byte) (json.RawMessage, error) {
	slot, err := r.slot(ctx, l)
	if err != nil {
		return nil, &notSentError{err}
	}
	ctx, cancel, err := fence(ctx)
	if err != nil {
		r.pacer.unsent(slot)
		return nil, &notSentError{err}
	}
	defer cancel()
	shape, _ := route(call.Path)
	ex := &exchange{next: r.client.Transport, method: call.Method, route: shape}
	began := time.Now()
	answer, err := r.send(ctx, call, ex, contentType, body)
	now := time.Now()
	r.clock.take(ex.header, began)
	r.pacer.release(l, slot, ex.header, now)
	r.observe(call.Method, shape, ex.status, ex.scope())
	refusal, refused := errors.AsType[*Error](err)
	r.noteExhausted(ctx, l, ex.header, refusal)
	if refused {
		r.pacer.refused(l, refusal, now)
		r.noteRefused(ctx, refusal)
		return nil, refusal
	}
	if urlErr, ok := errors.AsType[*url.Error](err); ok { // its text contains the whole URL with secrets of interactions
		err = urlErr.Err
	}
	if err == nil && call.Method == http.MethodGet && !readable(answer) {
		err = fmt.Errorf("%w: what was asked for is not JSON", ErrMalformed)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	return answer, nil
}

// notSentError marks a request that was never sent.
type notSentError struct{ error }

func (e *notSentError) Unwrap() error { return e.error }

// retry reports whether to send a call again after err, and returns the pause before. A
// 429 with a known wait needs no pause, because the pacer delays the next attempt.
func retry(call Call, attempt int, err error) (pause time.Duration, again bool) {
	if _, unsent := errors.AsType[*notSentError](err); unsent || attempt >= mostAttempts {
		return 0, false
	}
	pause = firstBackoff << (attempt - 1)
	pause += rand.N(pause) //nolint:gosec // jitter needs no secrecy
	refusal, ok := errors.AsType[*Error](err)
	if !ok { // the network, or an answer cut short
		return pause, repeatable(call)
	}
	switch {
	case refusal.Status == http.StatusTooManyRequests && refusal.RetryAfter > 0:
		return 0, true
	case refusal.Status == http.StatusTooManyRequests:
		return pause, true
	case refusal.isFailure():
		return pause, repeatable(call)
	default:
		return 0, false
	}
}

// routed adds the route to an error that does not name it.
func routed(method, shape string, err error) error {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal
	}
	return routeError(method, shape, err)
}
