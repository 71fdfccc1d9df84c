package discord

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"

	"heddle/internal/telemetry"
	"heddle/internal/wait"
)

const (
	globalPerSecond = 50 // requests per second that Discord grants a bot
	// forUrgent is how many of them are left for requests that cannot wait, such as the end of
	// an answer.
	forUrgent = globalPerSecond / 5
	// second is how long a request counts as one of a second's. It is longer than one,
	// because some requests reach Discord later than others.
	second = 1250 * time.Millisecond
	// mostRefusals bounds the refused requests in ten minutes. Discord bans an address at 10,000,
	// which twelve processes may share.
	mostRefusals = 800
	mostBuckets  = 4096 // number of buckets at which expired ones are dropped
)

// pacer delays requests according to Discord's rate limit headers. Requests to a route
// without headers are delayed only by the global limit and by 429s. Responses that
// overtake each other can make a request meet a limit; it is then repeated when Discord
// says. A pacer is safe for concurrent use and does not hold its lock while it waits.
type pacer struct {
	mu          sync.Mutex
	names       map[string]string  // method and route shape → Discord's name of the bucket
	buckets     map[string]*bucket // name, or route, and major id → its state
	limits      map[string]int     // name of a bucket → its limit, which a channel that was not asked yet is expected to have too
	second      []time.Time        // when the requests of the last second were sent that count towards the global limit
	refusals    []time.Time        // when Discord refused the requests of the last ten minutes that it counts towards a ban
	globalUntil time.Time
}

// lane identifies the rate limits that apply to a request.
type lane struct {
	method, shape string
	major         string
	global        bool
}

func newPacer() *pacer {
	return &pacer{names: map[string]string{}, buckets: map[string]*bucket{}, limits: map[string]int{}}
}

func newLane(call Call) lane {
	shape, major := route(call.Path)
	return lane{method: call.Method, shape: shape, major: major, global: globallyLimited(shape)}
}

// route returns the method and the shape of the path.
func (l lane) route() string { return l.method + " " + l.shape }

// name returns the route with the channel or guild of a request. Requests with the same
// name share a rate limit.
func (l lane) name() string { return l.route() + " " + l.major }

// Shared counts the requests of all processes of one bot.
type Shared interface {
	// Take takes one request from what Discord grants the bot, or returns how long to wait if
	// none is left. After an error, for example if the count cannot be reached, the request
	// may be made.
	Take(ctx context.Context) (wait time.Duration, err error)
}

// slot waits until the rate limits allow a request, and returns the bucket that counts
// it. The caller must release the bucket.
func (r *REST) slot(ctx context.Context, l lane) (taken *bucket, err error) {
	waiting := telemetry.Wait(ctx, telemetry.ForSend)
	err = r.awaitShared(ctx, l)
	for err == nil && taken == nil {
		var delay time.Duration
		if taken, delay, err = r.pacer.try(l, time.Now()); delay > 0 {
			err = waitWithin(ctx, delay)
		}
	}
	if err != nil {
		waiting.Left()
	} else {
		waiting.Over()
	}
	return taken, err
}

// awaitShared waits until the limits of this process allow a request, so that others can use
// what it does not need yet, and then until the limit that it shares with them does.
func (r *REST) awaitShared(ctx context.Context, l lane) error {
	if r.shared == nil || !l.global {
		return nil
	}
	for delay := r.pacer.delay(l, time.Now()); ; {
		if err := waitWithin(ctx, delay); err != nil {
			return err
		}
		wait, err := r.shared.Take(ctx)
		if err != nil {
			return ctx.Err() // if the shared count cannot be reached, the limits of this process must do
		}
		if wait <= 0 {
			return nil
		}
		delay = wait
	}
}

// try counts a request and returns its bucket, or how long to wait before trying again.
func (p *pacer) try(l lane, now time.Time) (*bucket, time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refusals = since(p.refusals, now.Add(-10*time.Minute))
	if len(p.refusals) >= mostRefusals {
		return nil, 0, ErrTooManyRefusals
	}
	b := p.bucketLocked(l, now)
	delay := p.delayLocked(l, b, now)
	if delay > 0 {
		return nil, delay, nil
	}
	if l.global {
		p.second = append(p.second, now)
	}
	b.take()
	return b, 0, nil
}

// since returns the times after a moment. times are in order.
func since(times []time.Time, moment time.Time) []time.Time {
	for len(times) > 0 && !times[0].After(moment) {
		times = times[1:]
	}
	return times
}

// delay returns how long a request would have to wait now.
func (p *pacer) delay(l lane, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.delayLocked(l, p.bucketLocked(l, now), now))
}

// spread implements REST.Spread.
func (p *pacer) spread(l lane, now time.Time) (apart, delay time.Duration, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.bucketLocked(l, now)
	delay = max(0, p.delayLocked(l, b, now))
	if l.global {
		delay = max(delay, p.secondLocked(now, globalPerSecond-forUrgent))
	}
	switch left := b.reset.Sub(now); {
	case b.limit <= 1:
		return 0, delay, false
	case b.reset.IsZero(): // the next window has not begun
		return 0, delay, true
	case b.remaining <= 1:
		return left, delay, true
	default:
		return left / time.Duration(b.remaining), delay, true
	}
}

func (p *pacer) delayLocked(l lane, b *bucket, now time.Time) time.Duration {
	delay := b.delay(now)
	if l.global {
		delay = max(delay, p.globalUntil.Sub(now), p.secondLocked(now, globalPerSecond))
	}
	return delay
}

// secondLocked returns how long to wait until a second has fewer than most requests.
func (p *pacer) secondLocked(now time.Time, most int) time.Duration {
	p.second = since(p.second, now.Add(-second))
	if len(p.second) < most {
		return 0
	}
	return p.second[len(p.second)-most].Add(second).Sub(now)
}

// bucketLocked returns the bucket of a lane. It makes one that does not exist, and first
// drops idle ones if there are too many.
func (p *pacer) bucketLocked(l lane, now time.Time) *bucket {
	name, key := p.names[l.route()], l.name()
	if name != "" {
		key = name + " " + l.major
	}
	if b, ok := p.buckets[key]; ok {
		return b
	}
	if len(p.buckets) >= mostBuckets {
		maps.DeleteFunc(p.buckets, func(_ string, b *bucket) bool {
			return b.inFlight == 0 && !now.Before(b.reset) && !now.Before(b.held)
		})
	}
	b := &bucket{limit: p.limits[name], remaining: p.limits[name]}
	p.buckets[key] = b
	return b
}

// release ends a request that was counted in b, with the headers of the response, or nil
// if none came.
func (p *pacer) release(l lane, b *bucket, header http.Header, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	said, ok := parseHeaders(header)
	b.answered = b.answered || header != nil
	if !ok {
		b.giveBack()
		return
	}
	if said.name != "" {
		p.names[l.route()], p.limits[said.name] = said.name, said.limit
		if named := p.bucketLocked(l, now); named != b { // the name was not known, or messages of another age have a limit of their own
			b.giveBack()
			named.take()
			b = named
		}
	}
	b.learn(said, now)
}

// refused records a response that Discord counts towards a ban. After a 429 it delays
// the route, or all routes.
func (p *pacer) refused(l lane, e *Error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.counted() {
		p.refusals = append(p.refusals, now)
	}
	if e.Status != http.StatusTooManyRequests || e.RetryAfter == 0 {
		return
	}
	until := now.Add(e.RetryAfter)
	if e.Global {
		p.globalUntil = later(p.globalUntil, until)
		return
	}
	b := p.bucketLocked(l, now)
	b.held = later(b.held, until)
	b.remaining, b.reset = 0, b.held
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// waitWithin waits for d or until ctx ends. If ctx would end first it returns
// ErrWaitTooLong at once.
func waitWithin(ctx context.Context, d time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
		if err := ctx.Err(); err != nil {
			return err
		}
		return ErrWaitTooLong
	}
	return wait.For(ctx, d)
}

// Delay returns how long a request to this route would have to wait now. It is 0 if the
// request may be sent or if no limit is known.
func (r *REST) Delay(method, path string) time.Duration {
	return r.pacer.delay(newLane(Call{Method: method, Path: path}), time.Now())
}

// Spread returns the interval at which requests to this route should be made if they
// can wait, and how long the next one should wait now. At that interval the requests of the
// current window last until its end, and one is always left for an urgent request. If only
// that one is left, the interval is the time until the next window. The next request waits
// while others need most of what Discord grants the bot. Spread reports false if no limit is
// known.
func (r *REST) Spread(method, path string) (apart, delay time.Duration, known bool) {
	return r.pacer.spread(newLane(Call{Method: method, Path: path}), time.Now())
}
