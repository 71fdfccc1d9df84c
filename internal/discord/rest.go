package discord

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/internal/telemetry"
	"heddle/internal/wait"
)

const (
	defaultUserAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, heddle)"
	attemptTimeout   = 20 * time.Second
	mostAttempts     = 4 // of one call: refused by 5xx or network, or by 429
	firstBackoff     = 250 * time.Millisecond
	mostBody         = 32 << 20 // bytes of an answer
)

// RESTConfig configures NewREST.
type RESTConfig struct {
	BaseURL   string       // http or https, with or without /api and /vN; empty is Discord itself
	Token     string       // the bot's token, with or without "Bot "
	HTTP      *http.Client // nil: an own one with a timeout of 20 s per attempt
	UserAgent string       // empty: heddle's
	Log       *slog.Logger // nil: nothing is logged
	// Clock is set by the responses; nil: an own one.
	Clock *Clock
	// Shared divides the global limit among the processes of one bot; nil: this process
	// has all of it.
	Shared Shared
	// Observe is called after each request that was sent, with the route without its
	// ids, the status of the response, 0 for none, and of a 429 the scope: user, global
	// or shared. It may be called from several goroutines at once. Nil observes nothing.
	Observe func(method, route string, status int, scope string)
}

// REST calls Discord's REST API. It is safe for concurrent use. Requests go through a
// discordgo Session. Pacing, retries and errors are REST's own, because discordgo's
// cannot be cancelled and delay one route's requests by another's; see
// docs/decisions/discord-rest.md. Every wait ends with the caller's context.
type REST struct {
	base    string
	session *discordgo.Session
	client  *http.Client
	pacer   *pacer
	shared  Shared
	clock   *Clock
	observe func(method, route string, status int, scope string)
	log     *slog.Logger
}

// NewREST checks cfg and returns a REST. It makes no request yet.
func NewREST(cfg RESTConfig) (*REST, error) {
	base, err := parseBase(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	token := cfg.Token
	if token != "" && !strings.HasPrefix(token, "Bot ") {
		token = "Bot " + token
	}
	session, err := discordgo.New(token)
	if err != nil {
		return nil, fmt.Errorf("make a Discord session: %w", err)
	}
	session.StateEnabled = false
	session.UserAgent = cfg.UserAgent
	if session.UserAgent == "" {
		session.UserAgent = defaultUserAgent
	}
	client := cfg.HTTP
	if client == nil {
		client = &http.Client{Timeout: attemptTimeout}
	}
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	observe := cfg.Observe
	if observe == nil {
		observe = func(string, string, int, string) {}
	}
	return &REST{base: base, session: session, client: client, pacer: newPacer(), shared: cfg.Shared, clock: cmp.Or(cfg.Clock, new(Clock)), observe: observe, log: log}, nil
}

// BaseURL returns the completed base, such as https://discord.com/api/v9.
func (r *REST) BaseURL() string { return r.base }

// Clock returns Discord's clock, as far as its responses have told the time.
func (r *REST) Clock() *Clock { return r.clock }

// Now returns Discord's time; see Clock.
func (r *REST) Now() time.Time { return r.clock.Now() }

// Call is one request.
type Call struct {
	Method string
	Path   string     // below the base, such as /channels/1/messages
	Query  url.Values // may be nil
	Body   any        // marshalled to JSON; nil sends none
	Files  []File     // sent with Body as a form
	// Repeatable is set if sending twice does no more than sending once, as with an
	// enforced nonce or a typing indicator. Methods other than POST are always
	// repeatable.
	Repeatable bool
	// Expendable is set for a request that is left out, with ErrCrowdedOut, rather than
	// made to wait or to take the place of others: where it would have to wait, and while
	// less than half of what may be requested in a second is left.
	Expendable bool
}

// File is an upload.
type File struct {
	Name string
	Type string // media type; empty: application/octet-stream
	Data []byte
}

// Get reads path. The error is an *Error if Discord answered.
func (r *REST) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	return r.Do(ctx, Call{Method: http.MethodGet, Path: path, Query: query})
}

// Delay returns how long a request to this route would have to wait now. It is 0 if
// the request may be sent or nothing is known.
func (r *REST) Delay(method, path string) time.Duration {
	return r.pacer.delay(newLane(method, path), time.Now())
}

// AwaitRoom waits until less than half of what all processes may request in a second was
// requested, so that a request that can wait takes no other's place. It waits for most at
// the longest, and until ctx ends.
func (r *REST) AwaitRoom(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		pause := r.pacer.room(time.Now())
		if pause <= 0 && r.shared != nil {
			// What this takes counts as a request: those that can wait use half of what is left.
			pause, _ = r.shared.TakeSpare(ctx, "") // without the others, this process has room
		}
		if pause <= 0 || wait.For(ctx, pause) != nil {
			return
		}
	}
}

// Spread returns how far apart requests to this route should be that can wait, so that
// they last until Discord grants more and one is always left for what cannot wait. If
// only that one is left, it is the time until more are granted. Spread reports false if
// no limit is known.
func (r *REST) Spread(method, path string) (apart time.Duration, known bool) {
	return r.pacer.spread(newLane(method, path), time.Now())
}

// Do sends a call and returns the body of the response. It waits for rate limits and
// repeats what may be repeated as long as ctx allows. If a wait would outlast ctx, Do
// returns ErrWaitTooLong at once. The error is an *Error if Discord answered.
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
		if _, unsent := errors.AsType[*notSentError](err); last == nil || !unsent { // Discord's answer says more than our giving up
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
		r.pacer.release(l, slot, nil, time.Now())
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
	if urlErr, ok := errors.AsType[*url.Error](err); ok { // its text holds the whole URL, secrets of interactions included
		err = urlErr.Err
	}
	return answer, err
}

// slot waits until Discord's limits let a request pass. The caller must release the slot.
func (r *REST) slot(ctx context.Context, l lane) (slot *bucket, err error) {
	waiting := telemetry.Wait(ctx, telemetry.ForSend)
	defer func() {
		if err != nil {
			waiting.Left()
		} else {
			waiting.Over()
		}
	}()
	if delay := r.pacer.delay(l, time.Now()); r.shared != nil && delay > 0 && !l.expendable {
		if err := waitWithin(ctx, delay); err != nil { // first, as the others may take their turns meanwhile
			return nil, err
		}
	}
	if err := r.awaitShared(ctx, l); err != nil {
		return nil, err
	}
	return r.pacer.acquire(ctx, l)
}

func (r *REST) send(ctx context.Context, call Call, ex *exchange, contentType string, body []byte) ([]byte, error) {
	address := r.base + "/" + strings.TrimLeft(call.Path, "/")
	if len(call.Query) > 0 {
		address += "?" + call.Query.Encode()
	}
	client := &http.Client{Transport: ex, Timeout: r.client.Timeout, CheckRedirect: lastResponse}
	own := &discordgo.Bucket{} // nobody else's: discordgo holds its lock through the round trip
	own.Lock()
	answer, err := r.session.RequestWithLockedBucket(call.Method, address, contentType, body, own, 0,
		discordgo.WithContext(ctx), discordgo.WithClient(client),
		discordgo.WithRetryOnRatelimit(false), discordgo.WithRestRetries(0))
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func lastResponse(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// encode returns the body of all attempts.
func encode(call Call) (contentType string, body []byte, err error) {
	if len(call.Files) == 0 {
		if call.Body == nil {
			return "", nil, nil
		}
		body, err = json.Marshal(call.Body)
		if err != nil {
			return "", nil, fmt.Errorf("encode the request: %w", err)
		}
		return "application/json", body, nil
	}
	files := make([]*discordgo.File, len(call.Files))
	for i, f := range call.Files {
		files[i] = &discordgo.File{Name: f.Name, ContentType: f.Type, Reader: bytes.NewReader(f.Data)}
	}
	contentType, body, err = discordgo.MultipartBodyWithJSON(call.Body, files)
	if err != nil {
		return "", nil, fmt.Errorf("encode the upload: %w", err)
	}
	return contentType, body, nil
}

// notSentError marks a request that was never sent.
type notSentError struct{ error }

func (e *notSentError) Unwrap() error { return e.error }

// retry reports whether to send a call again after err, and after what pause. A 429
// with a known wait needs no pause, because the pacer delays the next attempt.
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
	case refusal.Status >= http.StatusInternalServerError:
		return pause, repeatable(call)
	default:
		return 0, false
	}
}

func repeatable(call Call) bool { return call.Repeatable || call.Method != http.MethodPost }

// routed names the route in errors that do not name it themselves.
func routed(method, shape string, err error) error {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal
	}
	return routeError(method, shape, err)
}

// exchange is the transport of one request. It keeps the headers of the response and
// turns everything but success into an *Error. discordgo would fail on odd headers
// and bodies.
type exchange struct {
	next          http.RoundTripper
	method, route string
	header        http.Header
	status        int // 0 before a response has come
}

// scope returns what a refusal for too many requests is about, or "".
func (x *exchange) scope() string {
	switch scope := strings.ToLower(x.header.Get("X-RateLimit-Scope")); {
	case x.status != http.StatusTooManyRequests:
		return ""
	case scope == "shared", scope == "global":
		return scope
	default:
		return "user"
	}
}

// RoundTrip sends req.
func (x *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	next := x.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	x.header, x.status = resp.Header, resp.StatusCode
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer func() { _ = resp.Body.Close() }()
		// If the body is cut short, what has come is enough.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		return nil, newError(x.method, x.route, resp.StatusCode, resp.Header, body)
	}
	resp.StatusCode = http.StatusOK
	resp.Header = http.Header{}
	resp.Body = http.MaxBytesReader(nil, resp.Body, mostBody)
	return resp, nil
}
