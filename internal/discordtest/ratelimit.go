package discordtest

import (
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limit is the number of requests that a bucket takes in a window. A window starts with
// its first request, as on Discord.
type Limit struct {
	Requests int
	Window   time.Duration
}

// Limits are the rate limits of a server.
type Limits struct {
	// Global is the number of requests that a bot may make in a second. 0 is no limit.
	Global int
	// Routes are limits per route and channel (or guild). Other routes have none.
	Routes map[string]Limit
}

// DefaultLimits returns the limits that were observed on Discord.
func DefaultLimits() *Limits {
	return &Limits{
		Global: 50,
		Routes: map[string]Limit{
			RouteCreateMessage: {5, 5 * time.Second},
			RouteEditMessage:   {5, 5 * time.Second},
			RouteDeleteMessage: {5, time.Second},
			RouteTyping:        {5, 5 * time.Second},
			RouteMessages:      {5, time.Second},
			RouteSearch:        {2, time.Second}, // not observed: Discord documents a limit of its own
		},
	}
}

// NoLimits returns no limits and no headers, for load tests.
func NoLimits() *Limits { return &Limits{} }

// limiter counts requests against the limits. It has a lock of its own.
type limiter struct {
	limits  Limits
	clock   func() time.Time
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	used  int
	until time.Time
}

func newLimiter(o Options) *limiter {
	return &limiter{limits: *o.Limits, clock: o.Clock, buckets: map[string]*bucket{}}
}

// take counts a request against a bucket and reports whether it was within the limit.
func (l *limiter) take(key string, limit Limit, now time.Time) (left int, wait time.Duration, ok bool) {
	b := l.buckets[key]
	if b == nil || !now.Before(b.until) {
		b = &bucket{until: now.Add(limit.Window)}
		l.buckets[key] = b
	}
	wait = b.until.Sub(now)
	if b.used >= limit.Requests {
		return 0, wait, false
	}
	b.used++
	return limit.Requests - b.used, wait, true
}

// limit counts a request. It returns the 429 for one over a limit, and otherwise the
// headers for its answer.
func (l *limiter) limit(c *call) (http.Header, *reply) {
	now := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	who := c.record.Bot.String()
	if n := l.limits.Global; n > 0 && !needsNoToken(c.record.Route) {
		if _, wait, ok := l.take("global "+who, Limit{n, time.Second}, now); !ok {
			header, body := tooMany(wait, ScopeGlobal)
			return nil, &reply{status: http.StatusTooManyRequests, header: header, body: []byte(body)}
		}
	}
	route, limit := c.record.Route, l.limits.Routes[c.record.Route]
	if limit.Requests == 0 {
		return nil, nil
	}
	left, wait, ok := l.take(strings.Join([]string{who, route, major(c.request)}, " "), limit, now)
	header := headers(route, limit, left, wait, now)
	if ok {
		return header, nil
	}
	extra, body := tooMany(wait, ScopeUser)
	maps.Copy(header, extra)
	return nil, &reply{status: http.StatusTooManyRequests, header: header, body: []byte(body)}
}

// headers returns the headers that tell a client how far a route's limit is used.
func headers(route string, limit Limit, left int, wait time.Duration, now time.Time) http.Header {
	sum := fnv.New128a()
	_, _ = sum.Write([]byte(route))
	h := http.Header{}
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit.Requests))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	h.Set("X-RateLimit-Reset", seconds(time.Duration(now.Add(wait).UnixNano())))
	h.Set("X-RateLimit-Reset-After", seconds(wait))
	h.Set("X-RateLimit-Bucket", hex.EncodeToString(sum.Sum(nil)))
	return h
}

// seconds formats a duration in seconds, rounded up to milliseconds, as Discord's
// headers do.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(math.Ceil(d.Seconds()*1000)/1000, 'f', 3, 64)
}

// major returns the part of a path by which the buckets of one route differ.
func major(r *http.Request) string {
	return r.PathValue("channel") + r.PathValue("guild")
}

// tooMany returns the headers and the body of a 429.
func tooMany(after time.Duration, scope Scope) (http.Header, string) {
	global := scope == ScopeGlobal
	h := http.Header{}
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	h.Set("X-RateLimit-Scope", string(scope))
	h.Set("X-RateLimit-Reset-After", seconds(after))
	if global {
		h.Set("X-RateLimit-Global", "true")
	}
	wire := struct {
		Message    string      `json:"message"`
		RetryAfter json.Number `json:"retry_after"`
		Global     bool        `json:"global"`
		Code       int         `json:"code"`
	}{"You are being rate limited.", json.Number(seconds(after)), global, 0}
	return h, string(mustJSON(wire))
}
