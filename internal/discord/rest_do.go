package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
)

const (
	mostAttempts = 4 // attempts at one call, after a 5xx or network error, or a 429
	firstBackoff = 250 * time.Millisecond

	mostBody  = 32 << 20 // bytes of an answer
	mostError = 64 << 10 // bytes of an error, of which a part is good enough
)

// Getter reads from Discord; a REST does. The error is an *Error if Discord answered. Calls
// may be concurrent, and end with their context.
type Getter interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
}

// Read reads what is at a path, and decodes it as Decode does.
func Read[T any, P Decodable[T]](ctx context.Context, from Getter, path string) (T, error) { //nolint:ireturn // T is a struct
	raw, err := from.Get(ctx, path, nil)
	if err != nil {
		return *new(T), err
	}
	return Decode[T, P](raw)
}

// ReadMessage reads a message of a channel.
func ReadMessage(ctx context.Context, from Getter, channel graph.ChannelID, id graph.MessageID) (Message, error) {
	m, err := Read[Message](ctx, from, "/channels/"+channel.String()+"/messages/"+id.String())
	m.Channel = channel // some servers leave it out
	return m, err
}

// ReadPage reads the messages of a channel that are before, around or after one, as side says,
// or the newest for none. There are PageSize at most.
func ReadPage(ctx context.Context, from Getter, channel graph.ChannelID, side string, at graph.MessageID) (Page, error) {
	query := url.Values{"limit": {strconv.Itoa(PageSize)}}
	if at != 0 {
		query.Set(side, at.String())
	}
	raw, err := from.Get(ctx, "/channels/"+channel.String()+"/messages", query)
	if err != nil {
		return Page{}, err
	}
	page, err := decodePage(raw)
	for i := range page.Messages {
		page.Messages[i].Channel = channel // some servers leave it out
	}
	return page, err
}

// Get implements Getter.
func (r *REST) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	return r.Do(ctx, Call{Method: http.MethodGet, Path: path, Query: query})
}

// Do sends a call and returns the body of the response. It waits for rate limits, and
// repeats a call that failed if that is safe. If a wait would outlast the deadline of
// ctx, Do returns ErrWaitTooLong at once. The error is an *Error if Discord answered.
func (r *REST) Do(ctx context.Context, call Call) (json.RawMessage, error) {
	l := newLane(call)
	contentType, body, err := encode(call)
	if err != nil {
		return nil, routeError(call.Method, l.shape, err)
	}
	var last error
	for attempt := 1; ; attempt++ {
		answer, err := r.once(ctx, call, l, contentType, body)
		if err == nil {
			return answer, nil
		}
		if _, unsent := errors.AsType[*notSentError](err); last == nil || !unsent { // Discord's last answer says more than that no further attempt was made
			last = err
		}
		pause, again := retry(call, attempt, err)
		if again && ctx.Err() == nil {
			r.log.DebugContext(ctx, "asking Discord again", "method", call.Method, "route", l.shape, "attempt", attempt, "pause", pause)
			if waitWithin(ctx, pause) == nil {
				continue
			}
		}
		if refusal, ok := errors.AsType[*Error](last); ok {
			return nil, refusal // it names the route
		}
		return nil, routeError(call.Method, l.shape, last)
	}
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
		return pause, call.isRepeatable()
	}
	switch {
	case refusal.Status == http.StatusTooManyRequests && refusal.RetryAfter > 0:
		return 0, true
	case refusal.Status == http.StatusTooManyRequests:
		return pause, true
	case refusal.isFailure():
		return pause, call.isRepeatable()
	default:
		return 0, false
	}
}

// once waits until the rate limits allow a request, and sends it.
func (r *REST) once(ctx context.Context, call Call, l lane, contentType string, body []byte) (json.RawMessage, error) {
	taken, err := r.slot(ctx, l)
	if err != nil {
		return nil, &notSentError{err}
	}
	ctx, cancel, err := fence(ctx)
	if err != nil {
		r.pacer.release(l, taken, nil, time.Now())
		return nil, &notSentError{err}
	}
	defer cancel()
	began := time.Now()
	status, header, answer, err := r.exchange(ctx, call, contentType, body)
	now := time.Now()
	r.clock.take(header, began)
	r.pacer.release(l, taken, header, now)
	r.observe(call.Method, l.shape, status, scopeOf(status, header))
	if status != 0 && status/100 != 2 {
		refusal := newError(call.Method, l.shape, status, header, answer)
		r.pacer.refused(l, refusal, now)
		return nil, refusal
	}
	if err == nil && call.Method == http.MethodGet && !readable(answer) {
		err = fmt.Errorf("%w: what was asked for is not JSON", ErrMalformed)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	return answer, nil
}

// exchange makes one request and returns the response. status is 0 if none came. An error
// with a status means that the body could not be read.
func (r *REST) exchange(ctx context.Context, call Call, contentType string, body []byte) (status int, header http.Header, answer []byte, err error) {
	address := r.base + "/" + strings.TrimLeft(call.Path, "/")
	if len(call.Query) > 0 {
		address += "?" + call.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, call.Method, address, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, errors.New("the path of the request is no address")
	}
	req.Header.Set("User-Agent", userAgent)
	if r.token != "" {
		req.Header.Set("Authorization", r.token)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok { // its text contains the whole URL with secrets of interactions
			err = wrapped.Err
		}
		return 0, nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		answer, _ = io.ReadAll(io.LimitReader(resp.Body, mostError))
		return resp.StatusCode, resp.Header, answer, nil
	}
	answer, err = io.ReadAll(http.MaxBytesReader(nil, resp.Body, mostBody))
	return resp.StatusCode, resp.Header, answer, err
}

// scopeOf returns the scope of a 429, or "" for any other response.
func scopeOf(status int, header http.Header) string {
	switch scope := strings.ToLower(header.Get("X-RateLimit-Scope")); {
	case status != http.StatusTooManyRequests:
		return ""
	case scope == "shared", scope == "global":
		return scope
	default:
		return "user"
	}
}

// readable reports whether the body of a response holds what was asked for. A proxy may
// answer in Discord's place with a page of its own, or with nothing.
func readable(body []byte) bool { return json.Valid(body) && string(bytes.TrimSpace(body)) != "null" }
