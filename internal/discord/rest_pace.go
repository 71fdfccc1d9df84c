package discord

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"heddle/internal/wait"
)

const (
	globalPerSecond = 50   // requests per second that Discord grants a bot
	mostRefusals    = 2000 // refused requests in ten minutes; Discord bans an address at 10,000
	mostBuckets     = 4096 // number of buckets at which expired ones are dropped
	mostUnknown     = 3    // concurrent requests to a bucket whose limit is not known yet

	// inFlightPause is how long to wait before looking again if requests in flight hold
	// all slots of a bucket.
	inFlightPause = 20 * time.Millisecond
)

// pacer delays requests according to Discord's rate limit headers. Requests to a route
// without headers are delayed only by the global limit and by 429s. A pacer is safe for
// concurrent use and does not hold its lock while it waits.
type pacer struct {
	mu          sync.Mutex
	hashes      map[string]string  // method and route shape → Discord's name of the bucket
	buckets     map[string]*bucket // bucket and major id → its state
	recent      [globalPerSecond]time.Time
	next        int // index of the oldest of recent
	globalUntil time.Time
	refusals    refusals
	heldUntil   time.Time // no requests before this time, because all processes together had too many refusals
}

// bucket is one rate limit.
type bucket struct {
	answered  bool // a response has come; if known is false, there is no limit
	known     bool // headers have named a limit
	limit     int
	remaining int       // requests left in the window, those in flight already subtracted
	reset     time.Time // zero while the next window has not begun
	inFlight  int
}

// lane identifies the rate limits that apply to a request.
type lane struct {
	routeKey string // method and shape
	major    string
	global   bool
	// expendable is set for requests that must not delay others.
	expendable bool
}

func newPacer() *pacer {
	return &pacer{hashes: map[string]string{}, buckets: map[string]*bucket{}}
}

func newLane(method, path string) lane {
	shape, major := route(path)
	return lane{routeKey: method + " " + shape, major: major, global: globallyLimited(shape)}
}

// acquire waits until a request may be sent, or until ctx ends. The caller must
// release the bucket.
func (p *pacer) acquire(ctx context.Context, l lane) (*bucket, error) {
	for {
		b, delay, err := p.try(l, time.Now())
		if err != nil || b != nil {
			return b, err
		}
		if err := waitWithin(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// try takes a slot for the request and returns its bucket, or returns how long to wait
// before trying again.
func (p *pacer) try(l lane, now time.Time) (*bucket, time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusals.count(now) >= mostRefusals || now.Before(p.heldUntil) {
		return nil, 0, ErrTooManyRefusals
	}
	b := p.bucketLocked(l, now)
	if l.expendable && (p.delayLocked(l, b, now) > 0 || p.halfUsedLocked(now)) {
		return nil, 0, ErrCrowdedOut
	}
	if delay := p.delayLocked(l, b, now); delay > 0 {
		return nil, delay, nil
	}
	if l.global {
		p.recent[p.next] = now
		p.next = (p.next + 1) % len(p.recent)
	}
	b.inFlight++
	if b.known {
		b.remaining--
	}
	return b, 0, nil
}

// delay returns how long a request would have to wait now.
func (p *pacer) delay(l lane, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.delayLocked(l, p.bucketLocked(l, now), now))
}

// spread implements REST.Spread.
func (p *pacer) spread(l lane, now time.Time) (apart time.Duration, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.bucketLocked(l, now)
	delay := max(0, p.delayLocked(l, b, now))
	switch left := b.reset.Sub(now); {
	case !b.known || b.limit <= 1:
		return delay, false
	case b.reset.IsZero(): // the next window has not begun
		return delay, true
	case b.remaining <= 1:
		return max(delay, left), true
	default:
		return max(delay, left/time.Duration(b.remaining)), true
	}
}

func (p *pacer) delayLocked(l lane, b *bucket, now time.Time) time.Duration {
	delay := b.delay(now)
	if l.global {
		delay = max(delay, p.globalUntil.Sub(now), p.recent[p.next].Add(time.Second).Sub(now))
	}
	return delay
}

// halfUsedLocked reports whether at least half of the requests allowed per second were
// made in the last second.
func (p *pacer) halfUsedLocked(now time.Time) bool {
	return p.halfUntilLocked().After(now)
}

// halfUntilLocked returns the time until which halfUsedLocked reports true.
func (p *pacer) halfUntilLocked() time.Time {
	half := len(p.recent) / 2
	return p.recent[(p.next+len(p.recent)-half)%len(p.recent)].Add(time.Second)
}

// room returns how long a request that is not urgent should wait.
func (p *pacer) room(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.halfUntilLocked().Sub(now), p.globalUntil.Sub(now), p.heldUntil.Sub(now))
}

// hold delays all requests until a time.
func (p *pacer) hold(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heldUntil = later(p.heldUntil, until)
}

// delay returns how long the bucket delays a request. If the last window is over, it
// begins a new one.
func (b *bucket) delay(now time.Time) time.Duration {
	switch {
	case !b.known && !b.answered && b.inFlight >= mostUnknown:
		return inFlightPause
	case !b.known:
		return 0
	}
	if !b.reset.IsZero() && !now.Before(b.reset) {
		b.known = b.limit > 0 // otherwise only a 429 had delayed it
		b.remaining, b.reset = b.limit-b.inFlight, time.Time{}
	}
	switch {
	case !b.known || b.remaining > 0:
		return 0
	case b.reset.IsZero():
		return inFlightPause
	default:
		return b.reset.Sub(now)
	}
}

func (p *pacer) bucketLocked(l lane, now time.Time) *bucket {
	key := l.routeKey
	if hash, ok := p.hashes[key]; ok {
		key = hash
	}
	key += " " + l.major
	if b, ok := p.buckets[key]; ok {
		return b
	}
	if len(p.buckets) >= mostBuckets {
		for k, b := range p.buckets {
			if b.inFlight == 0 && !now.Before(b.reset) {
				delete(p.buckets, k)
			}
		}
	}
	b := &bucket{}
	p.buckets[key] = b
	return b
}

// release returns a slot of b with the headers of the response, or nil if none came.
func (p *pacer) release(l lane, b *bucket, header http.Header, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b.inFlight--
	b.answered = b.answered || header != nil
	remaining, err := strconv.ParseFloat(header.Get("X-RateLimit-Remaining"), 64)
	after := headerSeconds(header, "X-RateLimit-Reset-After")
	if err != nil || after == 0 {
		if b.known && b.reset.IsZero() {
			b.remaining++ // the request did not count
		}
		return
	}
	if hash := header.Get("X-RateLimit-Bucket"); hash != "" && p.hashes[l.routeKey] != hash {
		p.hashes[l.routeKey] = hash
	}
	b = p.bucketLocked(l, now)
	limit, _ := strconv.Atoi(header.Get("X-RateLimit-Limit"))
	b.limit, b.answered = max(1, limit), true
	reset := now.Add(after)
	if sameWindow := b.known && reset.Sub(b.reset).Abs() < time.Second/4; sameWindow {
		b.remaining = min(b.remaining, int(remaining))
	} else {
		b.remaining = int(remaining) - b.inFlight
	}
	b.known, b.reset = true, reset
}

// refused records a response that Discord counts towards a ban. After a 429 it delays
// the route, or all routes.
func (p *pacer) refused(l lane, e *Error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.counted() {
		p.refusals.add(now)
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
	b.known, b.answered, b.remaining, b.reset = true, true, 0, later(b.reset, until)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// refusals counts the refused requests of the last ten minutes, by minute.
type refusals struct {
	minutes [10]int64
	counts  [10]int
}

func (r *refusals) add(now time.Time) {
	minute := now.Unix() / 60
	i := int(minute % int64(len(r.counts)))
	if r.minutes[i] != minute {
		r.minutes[i], r.counts[i] = minute, 0
	}
	r.counts[i]++
}

func (r *refusals) count(now time.Time) int {
	minute, sum := now.Unix()/60, 0
	for i, m := range r.minutes {
		if minute-m < int64(len(r.counts)) {
			sum += r.counts[i]
		}
	}
	return sum
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
