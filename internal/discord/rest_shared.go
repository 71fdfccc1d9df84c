package discord

import (
	"context"
	"net/http"
	"time"

	"heddle/internal/telemetry"
)

// Shared counts the requests of all processes of one bot against Discord's rate limits.
type Shared interface {
	// Take takes one request to a route from the limits, or returns how long to wait if
	// none is left. After an error, for example if the shared count cannot be reached,
	// the request may be made.
	Take(ctx context.Context, route string) (wait time.Duration, err error)
	// Exhausted records that Discord allows no further request to a route for a time.
	// An empty route stands for all routes.
	Exhausted(ctx context.Context, route string, wait time.Duration) error
	// Refused records that Discord refused a request with 401, 403 or 429. If all
	// processes together are close to a ban, it returns how long to make no request,
	// and otherwise 0.
	Refused(ctx context.Context) (wait time.Duration, err error)
}

// slot waits until the rate limits allow a request, and returns the bucket that counts
// it. The caller must release the bucket.
func (r *REST) slot(ctx context.Context, l lane) (taken *bucket, err error) {
	waiting := telemetry.Wait(ctx, telemetry.ForSend)
	defer func() {
		if err != nil {
			waiting.Left()
		} else {
			waiting.Over()
		}
	}()
	if delay := r.pacer.delay(l, time.Now()); r.shared != nil && delay > 0 {
		if err := waitWithin(ctx, delay); err != nil { // wait before taking a slot, so that other processes can use it meanwhile
			return nil, err
		}
	}
	if err := r.awaitShared(ctx, l); err != nil {
		return nil, err
	}
	return r.pacer.acquire(ctx, l)
}

// awaitShared waits until the limits shared with other processes allow one more
// request, or until ctx ends.
func (r *REST) awaitShared(ctx context.Context, l lane) error {
	if r.shared == nil || !l.global {
		return nil
	}
	for {
		wait, err := r.shared.Take(ctx, l.name())
		if err != nil {
			return ctx.Err() // if the shared count cannot be reached, the limits of this process must do
		}
		if wait <= 0 {
			return nil
		}
		if err := waitWithin(ctx, wait); err != nil {
			return err
		}
	}
}

// noteExhausted tells the other processes that a limit is used up. They cannot know it,
// because a process learns limits only from its own responses.
func (r *REST) noteExhausted(ctx context.Context, l lane, header http.Header, refusal *Error) {
	if r.shared == nil || !l.global {
		return
	}
	name, wait := l.name(), time.Duration(0)
	switch {
	case refusal != nil && refusal.Status == http.StatusTooManyRequests:
		if wait = refusal.RetryAfter; refusal.Global {
			name = ""
		}
	case header.Get("X-RateLimit-Remaining") == "0":
		wait = headerSeconds(header, "X-RateLimit-Reset-After")
	}
	if wait <= 0 {
		return
	}
	if err := r.shared.Exhausted(context.WithoutCancel(ctx), name, wait); err != nil {
		r.log.DebugContext(ctx, "the other processes could not be told that a rate limit is used up, they may run into it", "error", err)
	}
}

// noteRefused counts a refusal for all processes, and makes this process stop for a
// while if there were too many.
func (r *REST) noteRefused(ctx context.Context, refusal *Error) {
	if r.shared == nil || !refusal.counted() {
		return
	}
	wait, err := r.shared.Refused(ctx)
	if err != nil || wait <= 0 {
		return // this process goes on counting its own refusals
	}
	r.log.ErrorContext(ctx, "Discord refused too many requests of all processes together, making no requests for a while", "wait", wait)
	r.pacer.hold(time.Now().Add(wait))
}
