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
	mostRefusals    = 2000 // in ten minutes; Discord bans at 10,000
	mostBuckets     = 4096 // held before those that no longer matter are dropped
	mostUnknown     = 3    // in flight to a bucket of which nothing is known yet

	// inFlightPause is how long to wait before looking again whether requests in
	// flight have been answered, of whose bucket they hold every slot.
	inFlightPause = 20 * time.Millisecond
)

// pacer holds requests back as Discord's headers ask. It is driven by headers
// alone: a route that sends none is never held back, save by the global limit and
// by 429s. Safe for concurrent use; no lock is held while waiting.
type pacer struct {
	mu          sync.Mutex
	hashes      map[string]string  // method and route shape → Discord's name of the bucket
	buckets     map[string]*bucket // bucket and major id → its state
	recent      [globalPerSecond]time.Time
	next        int // index of the oldest of recent
	globalUntil time.Time
	refusals    refusals
}

// bucket is one rate limit.
type bucket struct {
	answered  bool // something was answered: if it is not known, there is no limit
	known     bool // headers told of a limit
	limit     int
	remaining int       // not counting what is in flight
	reset     time.Time // zero while the next window has not begun
	inFlight  int
}

// lane is where a request belongs.
type lane struct {
	routeKey string // method and shape
	major    string
	global   bool
}

func newPacer() *pacer {
	return &pacer{hashes: map[string]string{}, buckets: map[string]*bucket{}}
}

func newLane(method, path string) lane {
	shape, major := route(path)
	return lane{routeKey: method + " " + shape, major: major, global: globallyLimited(shape)}
}

// acquire waits until a request may go, or until ctx ends. The caller must
// release what it acquired.
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

// try takes a slot if one is free, else says how long none will be.
func (p *pacer) try(l lane, now time.Time) (*bucket, time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusals.count(now) >= mostRefusals {
		return nil, 0, ErrTooManyRefusals
	}
	b := p.bucketLocked(l, now)
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

// delay says how long a request would have to wait now.
func (p *pacer) delay(l lane, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.delayLocked(l, p.bucketLocked(l, now), now))
}

func (p *pacer) delayLocked(l lane, b *bucket, now time.Time) time.Duration {
	delay := b.delay(now)
	if l.global {
		delay = max(delay, p.globalUntil.Sub(now), p.recent[p.next].Add(time.Second).Sub(now))
	}
	return delay
}

// delay says how long the bucket holds a request back. A window that is over
// makes room for the next.
func (b *bucket) delay(now time.Time) time.Duration {
	switch {
	case !b.known && !b.answered && b.inFlight >= mostUnknown:
		return inFlightPause
	case !b.known:
		return 0
	}
	if !b.reset.IsZero() && !now.Before(b.reset) {
		b.known = b.limit > 0 // else it was a 429 alone that held it back
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

// release gives b back with what the answer said; header is nil where there was none.
func (p *pacer) release(l lane, b *bucket, header http.Header, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b.inFlight--
	b.answered = b.answered || header != nil
	remaining, err := strconv.ParseFloat(header.Get("X-RateLimit-Remaining"), 64)
	after := headerSeconds(header, "X-RateLimit-Reset-After")
	if err != nil || after == 0 {
		if b.known && b.reset.IsZero() {
			b.remaining++ // no window began with it
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

// refused records an answer that Discord counts against this address, and holds
// back the route, or every route, after a 429.
func (p *pacer) refused(l lane, e *Error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		(e.Status == http.StatusTooManyRequests && !e.Shared)
	if counts {
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

// refusals counts refused requests of the last ten minutes, minute by minute.
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

// waitWithin waits for d or until ctx ends. Where ctx would end first it does not
// wait at all.
func waitWithin(ctx context.Context, d time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
		if err := ctx.Err(); err != nil {
			return err
		}
		return ErrWaitTooLong
	}
	return wait.For(ctx, d)
}
