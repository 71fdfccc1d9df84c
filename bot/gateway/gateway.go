// Package gateway keeps a discordgo Session connected to Discord's gateway.
//
// discordgo never reads close codes, answers an invalid session by identifying in
// a loop, locks up for good when told to reconnect too early, waits for ever on a
// silent server and ends sessions that could be resumed (its version 0.29.0,
// docs/decisions/discord-gateway.md). So its reconnecting is off; a Gateway opens
// the Session, watches the bytes of its socket (tap), cuts the socket when Discord
// says or does something that discordgo cannot take, and decides how to go on:
//
//   - resume on the same Session, at the address that READY gave, where Discord
//     allows it: nothing is missed;
//   - a new Session that identifies, where it does not, or where discordgo is
//     stuck: the Handler is told and must catch up by itself;
//   - give up with an error, where trying again cannot help.
//
// Delivery: events arrive in the order that Discord sent them, one at a time. An
// event may arrive twice. None is missed between a Connected with Resumed and the
// Disconnected before it; otherwise some may be.
package gateway

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/internal/discord"
	"heddle/internal/wait"
)

// Intents are what the bot asks Discord for.
const Intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages |
	discordgo.IntentDirectMessages | discordgo.IntentMessageContent |
	discordgo.IntentGuildMessageReactions | discordgo.IntentDirectMessageReactions

// Handler takes what comes. Its methods are called one at a time and must return
// at once: while one runs, no heartbeat's answer is read. A panic in one is
// recovered and logged.
type Handler interface {
	// Connected says that events flow.
	Connected(Connected)
	// Event is one dispatch, READY and RESUMED included, after Connected.
	Event(name string, data json.RawMessage)
	// Disconnected says that no more events come for now.
	Disconnected()
}

// Connected says how the gateway was reached.
type Connected struct {
	Resumed bool          // nothing was missed since Disconnected
	Ready   discord.Ready // who the bot is; kept from the first time when resumed
}

// REST is what the gateway asks of discord.REST: where to connect, and whether the
// token is right.
type REST interface {
	Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error)
	// BaseURL returns the address of the API. The gateway is encrypted if that is.
	BaseURL() string
}

// Config says how to connect. Token and REST are needed; zero durations are the
// defaults named.
type Config struct {
	Token string // with or without "Bot "
	REST  REST
	Log   *slog.Logger // nil: nothing is logged
	TLS   *tls.Config  // nil: the system's trust
	// Proxy names the HTTP proxy for a request; nil: the environment's.
	Proxy func(*http.Request) (*url.URL, error)

	IdentifyEvery time.Duration // least time between two identifies; 5 s, as Discord asks
	OpenTimeout   time.Duration // longest wait for Discord's greeting, or for anything after RESUME; 5 s
	ReadyTimeout  time.Duration // from the greeting to READY; 20 s
	CloseTimeout  time.Duration // for a Session to end before it is given up; 5 s
	FirstBackoff  time.Duration // after connecting failed once, then doubled; 0.5 s
	MostBackoff   time.Duration // 4 s: Discord may be back at any moment
}

// Gateway keeps one shard connected.
type Gateway struct {
	cfg      Config
	log      *slog.Logger
	identify time.Time // of the last identify
	drops    atomic.Uint64

	mu      sync.Mutex // held while the Handler runs
	handler Handler
	session *session // the present one; events of others are dropped
	ready   discord.Ready
	up      bool // Connected was said, Disconnected not yet
}

// New checks cfg. It does not connect yet.
func New(cfg Config) (*Gateway, error) {
	if cfg.Token == "" {
		return nil, errors.New("the gateway needs a bot token")
	}
	if cfg.REST == nil {
		return nil, errors.New("the gateway needs a REST caller")
	}
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&cfg.IdentifyEvery, 5 * time.Second},
		{&cfg.OpenTimeout, 5 * time.Second},
		{&cfg.ReadyTimeout, 20 * time.Second},
		{&cfg.CloseTimeout, 5 * time.Second},
		{&cfg.FirstBackoff, time.Second / 2},
		{&cfg.MostBackoff, 4 * time.Second},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	if cfg.Proxy == nil {
		cfg.Proxy = http.ProxyFromEnvironment
	}
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Gateway{cfg: cfg, log: log}, nil
}

// Run stays connected until ctx ends, and returns nil then. If Discord says that
// trying again cannot help it returns ErrToken, ErrIntents or another error of this
// package. It may be called once.
func (g *Gateway) Run(ctx context.Context, h Handler) error {
	g.handler = h
	for failures := 0; ; {
		open, err := g.connection(ctx)
		switch {
		case stopped(ctx):
			return nil
		case fatal(err):
			return err
		case open || answered(err):
			failures = 0
		default:
			failures++
		}
		pause := g.backoff(failures)
		if errors.Is(err, errUnreached) {
			g.log.WarnContext(ctx, "Discord cannot be reached, trying again; check DISCORD_API_URL and the network if this goes on", "err", err, "in", pause)
		} else {
			g.log.WarnContext(ctx, "the gateway connection ended, connecting again", "err", err, "in", pause)
		}
		_ = wait.For(ctx, pause)
		if stopped(ctx) {
			return nil
		}
	}
}

func stopped(ctx context.Context) bool { return ctx.Err() != nil }

// Dropped returns how many payloads could not be read and were dropped.
func (g *Gateway) Dropped() uint64 { return g.drops.Load() }

// connection opens the session, or a new one, and returns why it ended. It reports
// whether events have flowed.
func (g *Gateway) connection(ctx context.Context) (open bool, err error) {
	s := g.current()
	fresh := s == nil
	if fresh {
		if s, err = g.newSession(ctx); err != nil {
			return false, err
		}
	}
	open, err = s.run(ctx)
	g.disconnected(s)
	if ctx.Err() != nil || !s.resumable(err) {
		g.replace(nil)
	}
	if fresh && !open && ctx.Err() == nil && !fatal(err) {
		err = cmp.Or(g.checkToken(ctx), err)
	}
	return open, err
}

// current is the session that can be resumed, or nil.
func (g *Gateway) current() *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.session
}

// replace makes s the session whose events count.
func (g *Gateway) replace(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.session = s
}

// deliver hands one event of s to the handler. Its error ends the connection.
func (g *Gateway) deliver(s *session, name string, data json.RawMessage) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.session != s {
		return nil // a session that was given up; its successor has told the handler
	}
	switch name {
	case nameReady:
		ready, err := discord.DecodeReady(data)
		if err != nil {
			return fmt.Errorf("%w: %w", errReady, err)
		}
		g.ready = ready
		s.established(ready.ResumeURL)
		g.connectedLocked(Connected{Ready: ready})
	case nameResumed:
		s.established("")
		g.connectedLocked(Connected{Resumed: true, Ready: g.ready})
	}
	g.guard(name, func() { g.handler.Event(name, data) })
	return nil
}

// drop counts a payload that could not be read. It logs the first, and then fewer and
// fewer.
func (g *Gateway) drop(name string) {
	if n := g.drops.Add(1); n&(n-1) == 0 {
		g.log.Warn("a gateway payload could not be read and was dropped", "event", name, "dropped", n)
	}
}

func (g *Gateway) connectedLocked(c Connected) {
	g.up = true
	g.guard("Connected", func() { g.handler.Connected(c) })
}

// disconnected tells the handler, once for each Connected.
func (g *Gateway) disconnected(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.session != s || !g.up {
		return
	}
	g.up = false
	g.guard("Disconnected", func() { g.handler.Disconnected() })
}

// guard keeps a handler's panic from ending the process. What was being handled is
// not logged: it may hold what people wrote.
func (g *Gateway) guard(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			g.log.Error("a gateway handler panicked", "event", name, "panic", panicKind(r))
		}
	}()
	f()
}
