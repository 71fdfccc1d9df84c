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
	mostAttempts     = 4 // attempts at one call, after a 5xx or network error, or a 429
	firstBackoff     = 250 * time.Millisecond
	mostBody         = 32 << 20 // bytes of an answer
)

// RESTConfig configures NewREST.
type RESTConfig struct {
	BaseURL   string       // http or https, with or without /api and /vN; empty is Discord itself
	Token     string       // the bot's token, with or without "Bot "
	HTTP      *http.Client // nil: a client of its own with a timeout of 20 s per attempt
	UserAgent string       // empty: heddle's
	Log       *slog.Logger // nil: nothing is logged
	// Clock learns Discord's time from the responses; nil: a clock of its own.
	Clock *Clock
	// Shared coordinates rate limits among the processes of one bot; nil: this process
	// is the only one.
	Shared Shared
	// Observe, if not nil, is called after each request that was sent. It gets the
	// route without its ids, the status of the response or 0 if there was none, and for
	// a 429 the scope: user, global or shared. It may be called from several goroutines
	// at once.
	Observe func(method, route string, status int, scope string)
}

// REST calls Discord's REST API. It is safe for concurrent use. Requests are sent by a
// discordgo Session. Pacing, retries and errors are REST's own, because discordgo's
// waits cannot be cancelled and delay requests of other routes; see
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

// Clock returns the clock that knows Discord's time from the responses so far.
func (r *REST) Clock() *Clock { return r.clock }

// Now returns Discord's time; see Clock.
func (r *REST) Now() time.Time { return r.clock.Now() }

// Call is one request.
type Call struct {
	Method string
	Path   string     // below the base, such as /channels/1/messages
	Query  url.Values // may be nil
	Body   any        // marshalled to JSON; nil sends none
	Files  []File     // sent with Body as a multipart form
	// Repeatable is set if sending the call twice has the same effect as sending it
	// once, as with an enforced nonce or a typing indicator. Methods other than POST
	// are always repeatable.
	Repeatable bool
	// Expendable is set for a call that fails with ErrCrowdedOut rather than delay
	// others. It fails if it would have to wait, or if less than half of the requests
	// of the current second are left.
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

// Delay returns how long a request to this route would have to wait now. It is 0 if the
// request may be sent or if no limit is known.
func (r *REST) Delay(method, path string) time.Duration {
	return r.pacer.delay(newLane(method, path), time.Now())
}

// AwaitRoom waits until less than half of the requests that all processes may make in a
// second have been made. Call it before a request that is not urgent. It waits no
// longer than most, and returns when ctx ends.
func (r *REST) AwaitRoom(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		pause := r.pacer.room(time.Now())
		if pause <= 0 && r.shared != nil {
			// TakeSpare counts as a request, so that requests that can wait use only
			// half of what is left.
			pause, _ = r.shared.TakeSpare(ctx, "") // without the others, this process has room
		}
		if pause <= 0 || wait.For(ctx, pause) != nil {
			return
		}
	}
}

// Spread returns the interval at which requests to this route should be made if they
// can wait. At that interval the requests of the current window last until its end, and
// one is always left for an urgent request. If only that one is left, Spread returns
// the time until the next window. It reports false if no limit is known.
func (r *REST) Spread(method, path string) (apart time.Duration, known bool) {
	return r.pacer.spread(newLane(method, path), time.Now())
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

// readable reports whether the body of a response holds what was asked for. A proxy may
// answer in Discord's place with a page of its own, or with nothing.
func readable(body []byte) bool { return json.Valid(body) && string(bytes.TrimSpace(body)) != "null" }

// slot waits until the rate limits allow a request. The caller must release the slot.
func (r *REST) slot(ctx context.Context, l lane) (taken *slot, err error) {
	waiting := telemetry.Wait(ctx, telemetry.ForSend)
	defer func() {
		if err != nil {
			waiting.Left()
		} else {
			waiting.Over()
		}
	}()
	if delay := r.pacer.delay(l, time.Now()); r.shared != nil && delay > 0 && !l.expendable {
		if err := waitWithin(ctx, delay); err != nil { // wait before taking a slot, so that other requests can use it meanwhile
			return nil, err
		}
	}
	if err := r.awaitShared(ctx, l); err != nil {
		return nil, err
	}
	return r.pacer.acquire(ctx, l)
}

// send makes one attempt at a call.
func (r *REST) send(ctx context.Context, call Call, ex *exchange, contentType string, body []byte) ([]byte, error) {
	address := r.base + "/" + strings.TrimLeft(call.Path, "/")
	if len(call.Query) > 0 {
		address += "?" + call.Query.Encode()
	}
	client := &http.Client{Transport: ex, Timeout: r.client.Timeout, CheckRedirect: lastResponse}
	own := &discordgo.Bucket{} // used by this request only, because discordgo holds its lock during the request
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

// encode returns the body for all attempts.
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

func repeatable(call Call) bool { return call.Repeatable || call.Method != http.MethodPost }

// routed adds the route to an error that does not name it.
func routed(method, shape string, err error) error {
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal
	}
	return routeError(method, shape, err)
}

// exchange is the transport of one request. It records the headers of the response, and
// turns an unsuccessful response into an *Error. discordgo would fail on unexpected
// headers and bodies.
type exchange struct {
	next          http.RoundTripper
	method, route string
	header        http.Header
	status        int // 0 before a response has come
}

// scope returns the scope of a 429, or "" for any other response.
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

// RoundTrip implements http.RoundTripper.
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
		// A truncated body is good enough for an error.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		return nil, newError(x.method, x.route, resp.StatusCode, resp.Header, body)
	}
	resp.StatusCode = http.StatusOK
	resp.Header = http.Header{}
	resp.Body = http.MaxBytesReader(nil, resp.Body, mostBody)
	return resp, nil
}
