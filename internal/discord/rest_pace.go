package discord

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"heddle/internal/wait"
)

const (
	globalPerSecond = 50   // requests per second that Discord grants a bot
	mostRefusals    = 2000 // refused requests in ten minutes; Discord bans an address at 10,000
	mostBuckets     = 4096 // number of buckets at which expired ones are dropped
)

// pacer delays requests according to Discord's rate limit headers. Requests to a route
// without headers are delayed only by the global limit and by 429s. A pacer is safe for
// concurrent use and does not hold its lock while it waits.
type pacer struct {
	mu          sync.Mutex
	hashes      map[string]string  // method and route shape → Discord's name of the bucket
	buckets     map[string]*bucket // bucket and major id → its state
	rules       map[string]rule    // Discord's name of a bucket → what its responses said
	second      second
	globalUntil time.Time
	began       time.Time
	refusals    refusals
	heldUntil   time.Time // no requests before this time, because all processes together had too many refusals
}

// rule is what the buckets of one name have in common. A channel that was not asked yet
// is expected to have the limit of others.
type rule struct {
	limit int
	lasts time.Duration // the longest that a window had left
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
	return &pacer{hashes: map[string]string{}, buckets: map[string]*bucket{}, rules: map[string]rule{}, began: time.Now()}
}

func newLane(method, path string) lane {
	shape, major := route(path)
	return lane{routeKey: method + " " + shape, major: major, global: globallyLimited(shape)}
}

// slot is the permission to send one request.
type slot struct {
	bucket  *bucket
	counted *counted // nil for a request that does not count towards the global limit
}

// acquire waits until a request may be sent, or until ctx ends. The caller must
// release the slot.
func (p *pacer) acquire(ctx context.Context, l lane) (*slot, error) {
	for {
		s, delay, err := p.try(l, time.Now())
		if err != nil || s != nil {
			return s, err
		}
		if err := waitWithin(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// try returns a slot for the request, or how long to wait before trying again.
func (p *pacer) try(l lane, now time.Time) (*slot, time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusals.count(p.age(now)) >= mostRefusals || now.Before(p.heldUntil) {
		return nil, 0, ErrTooManyRefusals
	}
	b := p.bucketLocked(l, now)
	if l.expendable && (p.delayLocked(l, b, now) > 0 || p.spareLocked(now) > 0) {
		return nil, 0, ErrCrowdedOut
	}
	if delay := p.delayLocked(l, b, now); delay > 0 {
		return nil, delay, nil
	}
	s := &slot{bucket: b}
	if l.global {
		s.counted = p.second.take(now)
	}
	b.take()
	return s, 0, nil
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
		delay = max(delay, p.globalUntil.Sub(now), p.second.delay(globalPerSecond, now))
	}
	return delay
}

// spareLocked returns how long to wait until less than half of the requests allowed per
// second count.
func (p *pacer) spareLocked(now time.Time) time.Duration {
	return p.second.delay(globalPerSecond/2, now)
}

// room returns how long a request that is not urgent should wait.
func (p *pacer) room(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.spareLocked(now), p.globalUntil.Sub(now), p.heldUntil.Sub(now))
}

// hold delays all requests until a time.
func (p *pacer) hold(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heldUntil = later(p.heldUntil, until)
}

// bucketLocked returns the bucket of a lane. It makes one that does not exist, and first
// drops old ones if there are too many.
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
			if b.forgetLost(now); b.inFlight == 0 && !now.Before(b.reset) {
				delete(p.buckets, k)
			}
		}
	}
	b := &bucket{}
	if r := p.rules[p.hashes[l.routeKey]]; r.limit > 0 {
		*b = bucket{known: true, limit: r.limit, lasts: r.lasts, remaining: r.limit}
	}
	p.buckets[key] = b
	return b
}

// release returns a slot with the headers of the response, or nil if none came.
func (p *pacer) release(l lane, s *slot, header http.Header, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.counted != nil {
		s.counted.release(now)
	}
	b := s.bucket.current()
	said, ok := parseHeaders(header)
	switch {
	case header == nil:
		b.lose(now)
		return
	case !ok:
		b.answered = true
		b.giveBack()
		return
	}
	if b = p.namedLocked(l, b, said.name, now); b.learn(said, now) {
		p.rules[said.name] = rule{limit: b.limit, lasts: max(b.lasts, p.rules[said.name].lasts)}
	}
}

// namedLocked returns the bucket that a response is about. The request was counted in b.
func (p *pacer) namedLocked(l lane, b *bucket, name string, now time.Time) *bucket {
	if name == "" || p.hashes[l.routeKey] == name {
		return b
	}
	_, known := p.hashes[l.routeKey]
	p.hashes[l.routeKey] = name
	if !known {
		p.mergeLocked(l, name)
		return b.current()
	}
	named := p.bucketLocked(l, now) // messages of another age have a limit of their own
	b.giveBack()
	named.take()
	return named
}

// mergeLocked moves the buckets of a route to their name, which was not known when they
// were made.
func (p *pacer) mergeLocked(l lane, name string) {
	for key, b := range p.buckets {
		major, ok := strings.CutPrefix(key, l.routeKey+" ")
		if !ok {
			continue
		}
		delete(p.buckets, key)
		if into := p.buckets[name+" "+major]; into != nil {
			b.merge(into)
		} else {
			p.buckets[name+" "+major] = b
		}
	}
}

// unsent returns the slot of a request that was not sent.
func (p *pacer) unsent(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.counted != nil {
		s.counted.until = time.Time{}
	}
	b := s.bucket.current()
	if b.known && !b.reset.IsZero() {
		b.remaining++
	}
	b.giveBack()
}

// refused records a response that Discord counts towards a ban. After a 429 it delays
// the route, or all routes.
func (p *pacer) refused(l lane, e *Error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.counted() {
		p.refusals.add(p.age(now))
	}
	if e.Status != http.StatusTooManyRequests || e.RetryAfter == 0 {
		return
	}
	until := now.Add(e.RetryAfter)
	if e.Global {
		p.globalUntil = later(p.globalUntil, until)
		return
	}
	p.bucketLocked(l, now).refuse(until)
}

// age returns how long the pacer has existed, by the monotonic clock.
func (p *pacer) age(now time.Time) time.Duration { return now.Sub(p.began) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// refusals counts the refused requests of the last ten minutes, by minute. Times are ages
// of the pacer: if they were times of day, a clock that is set back would make all refusals
// count for as long as it was set back by.
type refusals struct {
	minutes [10]time.Duration
	counts  [10]int
}

func (r *refusals) add(age time.Duration) {
	minute := age / time.Minute
	i := int(minute) % len(r.counts)
	if r.minutes[i] != minute {
		r.minutes[i], r.counts[i] = minute, 0
	}
	r.counts[i]++
}

func (r *refusals) count(age time.Duration) int {
	minute, sum := age/time.Minute, 0
	for i, m := range r.minutes {
		if int(minute-m) < len(r.counts) {
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
