package discord

import (
	"cmp"
	"log/slog"
	"net/http"
	"strings"
	"time"
)

const (
	userAgent      = "DiscordBot (https://github.com/bwmarrin/discordgo, heddle)"
	attemptTimeout = 20 * time.Second
)

// RESTConfig configures NewREST.
type RESTConfig struct {
	BaseURL string // an http or https address, with or without /api and /vN; empty is Discord itself
	Token   string // the bot's token, with or without "Bot "
	// Transport sends the requests; nil: http.DefaultTransport.
	Transport http.RoundTripper
	Log       *slog.Logger // nil: nothing is logged
	// Clock learns Discord's time from the responses; nil: a clock of its own.
	Clock *Clock
	// Shared counts the requests of all processes of one bot; nil: this process is the only
	// one.
	Shared Shared
	// Observe, if not nil, is called after each request that was sent. It gets the
	// route without its ids, the status of the response or 0 if there was none, and for
	// a 429 the scope: user, global or shared. It may be called from several goroutines
	// at once.
	Observe func(method, route string, status int, scope string)
}

// REST calls Discord's REST API. It is safe for concurrent use. It does not use
// discordgo's client, whose waits cannot be cancelled and delay requests of other routes;
// see docs/decisions/discord-rest.md. Every wait ends with the caller's context.
type REST struct {
	base    string
	token   string // as it is sent
	client  *http.Client
	pacer   *pacer
	shared  Shared
	clock   *Clock
	observe func(method, route string, status int, scope string)
	log     *slog.Logger
}

// NewREST returns a REST. It makes no request yet.
func NewREST(cfg RESTConfig) *REST {
	r := &REST{
		base: baseOf(cfg.BaseURL), token: cfg.Token, pacer: newPacer(),
		shared: cfg.Shared, clock: cmp.Or(cfg.Clock, new(Clock)), observe: cfg.Observe, log: cfg.Log,
	}
	if r.token != "" && !strings.HasPrefix(r.token, "Bot ") {
		r.token = "Bot " + r.token
	}
	r.client = &http.Client{Timeout: attemptTimeout, Transport: cfg.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if r.observe == nil {
		r.observe = func(string, string, int, string) {}
	}
	return r
}

// BaseURL returns the completed base, such as https://discord.com/api/v10.
func (r *REST) BaseURL() string { return r.base }

// Now returns Discord's time; see Clock.
func (r *REST) Now() time.Time { return r.clock.Now() }
