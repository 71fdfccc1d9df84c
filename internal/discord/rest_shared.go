package discord

import (
	"context"
	"net/http"
	"time"
)

// Shared is what all processes of one bot may ask of Discord together.
type Shared interface {
	// Take takes one request to a route, or returns how long there is none to take. After
	// an error, as when the other processes cannot be reached, the request may be made.
	Take(ctx context.Context, route string) (wait time.Duration, err error)
	// TakeSpare is Take for an expendable request: it takes one only while at least half
	// of them are left.
	TakeSpare(ctx context.Context, route string) (wait time.Duration, err error)
	// Exhausted notes that Discord grants no further request to a route for a time, or
	// none at all if the route is empty.
	Exhausted(ctx context.Context, route string, wait time.Duration) error
	// Refused notes that Discord refused a request with 401, 403 or 429, and returns how
	// long none should be made, since all processes together come near to a ban; 0 if
	// they do not.
	Refused(ctx context.Context) (wait time.Duration, err error)
}

// awaitShared waits until all processes together may make one more request, or until
// ctx ends.
func (r *REST) awaitShared(ctx context.Context, l lane) error {
	if r.shared == nil || !l.global {
		return nil
	}
	take := r.shared.Take
	if l.expendable {
		take = r.shared.TakeSpare
	}
	for {
		wait, err := take(ctx, l.name())
		if err != nil {
			return ctx.Err() // else the limit of this process alone has to do
		}
		if wait <= 0 {
			return nil
		}
		if l.expendable {
			return ErrCrowdedOut
		}
		if err := waitWithin(ctx, wait); err != nil {
			return err
		}
	}
}

// name names the route and the channel or guild of a request: requests with one name share a
// limit.
func (l lane) name() string { return l.routeKey + " " + l.major }

// noteExhausted tells the other processes that Discord grants nothing more for now: a
// process learns the limit of a route from its own responses alone.
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
		r.log.DebugContext(ctx, "the other processes could not be told of a limit, they may meet it", "error", err)
	}
}

// noteRefused tells the other processes of a refusal that Discord counts, and holds this
// one back if there were too many.
func (r *REST) noteRefused(ctx context.Context, refusal *Error) {
	if r.shared == nil || !refusal.counted() {
		return
	}
	wait, err := r.shared.Refused(ctx)
	if err != nil || wait <= 0 {
		return // without the others, this process counts its own
	}
	r.log.ErrorContext(ctx, "Discord refused too many requests of all processes, holding back", "wait", wait)
	r.pacer.hold(time.Now().Add(wait))
}
