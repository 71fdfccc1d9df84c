// Package gateway keeps the shards of a bot connected to Discord's gateway: all of them, or
// this process's share if several processes divide them.
//
// It speaks the gateway's protocol itself, over a websocket library: discordgo ignores
// close codes, panics on null, and waits for ever on a silent server.
// docs/decisions/discord-gateway.md lists such faults. When a connection ends, a Gateway
//
//   - resumes the session at the address that READY named, so that no event is missed;
//   - or begins a new session, if Discord refuses to resume the old one. Some events may
//     be missed, and the Handler has to catch up;
//   - or returns an error, if retrying cannot help.
//
// Events are delivered one at a time, in the order in which Discord sent them. An
// event may be delivered twice. No event is missed between a Disconnected and a
// Connected with Resumed. Otherwise some may be missed.
//
// Processes that share shards coordinate through the store. Each holds leases on its
// shards and reads once a second what the others hold. A free shard is taken by a
// process that has fewer than its share. A process that has more closes one, frees it,
// and waits until it runs elsewhere before it frees the next. A process that shuts down
// frees all of its shards. Events of a shard that nobody runs meanwhile are missed: the process
// that takes it over reads what was said.
//
// If Discord wants more shards, Run ends. The process that starts next asks how many, and the
// other processes begin all of theirs anew.
package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// Intents are the gateway intents of the bot.
const Intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages |
	discordgo.IntentDirectMessages | discordgo.IntentMessageContent |
	discordgo.IntentGuildMessageReactions | discordgo.IntentDirectMessageReactions

// Handler receives events. Its methods are called one at a time. They must return at
// once: until they do, nothing else is read from the connection, not even answers to
// heartbeats. A panic in a method is recovered and logged.
type Handler interface {
	// Connected is called when events begin to flow.
	Connected(Connected)
	// Event receives a dispatched event with its data. READY and RESUMED come right
	// after the call of Connected that they cause.
	Event(name string, data json.RawMessage)
	// Disconnected is called when a connection has ended.
	Disconnected()
}

// Connected describes a new connection.
type Connected struct {
	Shard   Shard
	Resumed bool          // no event was missed since Disconnected
	Ready   discord.Ready // the READY of a new session; zero after a resume
}

// Config configures New. Token and REST are required. A zero duration is the default
// named beside it.
type Config struct {
	Token string // with or without "Bot "
	REST  *discord.REST
	Log   *slog.Logger // nil: nothing is logged
	Shard Shard        // the zero Shard has all guilds and direct messages
	// Proxy returns the HTTP proxy for a request; nil uses the environment's.
	Proxy func(*http.Request) (*url.URL, error)

	OpenTimeout  time.Duration // longest wait for Discord's HELLO, or for anything after RESUME; 5 s
	ReadyTimeout time.Duration // longest time from HELLO to READY; 20 s
	FirstBackoff time.Duration // pause after connecting failed once, doubled with each further failure; 0.5 s
	MostBackoff  time.Duration // longest pause; 4 s, because Discord may be back at any moment
}

// token returns the token as discordgo and Discord take it.
func (c *Config) token() string { return "Bot " + strings.TrimPrefix(c.Token, "Bot ") }

// Shard is one of the parts that Discord divides a bot's guilds into: those whose id,
// shifted by 22 bits, leaves the remainder ID when divided by Count. Direct messages
// belong to the first.
type Shard struct{ ID, Count int }

// Has reports whether a guild belongs to s. A zero guild stands for direct messages.
func (s Shard) Has(guild graph.GuildID) bool {
	return s.Count < 2 || int(uint64(guild)>>22%uint64(s.Count)) == s.ID //nolint:gosec // a remainder fits
}

// Gateway keeps one shard connected.
type Gateway struct {
	cfg      Config
	shards   *Shards // of which it is one, and which lets it identify; nil: it is the only one
	log      *slog.Logger
	drops    atomic.Uint64
	up       atomic.Bool // Connected was called, and Disconnected was not called since
	hearing  hearing
	current  atomic.Pointer[connection] // the one whose events flow, or nil
	backoffs atomic.Int64               // the pause before the next attempt, in nanoseconds; 0 while there is no pause

	// The goroutine of Run owns these fields.
	handler    Handler
	session    *session // the one that can be resumed, or nil
	identified bool     // it has been the shard's turn to identify
}

// New returns a Gateway. It does not connect yet.
func New(cfg Config) *Gateway {
	cfg.OpenTimeout, cfg.ReadyTimeout = cmp.Or(cfg.OpenTimeout, 5*time.Second), cmp.Or(cfg.ReadyTimeout, 20*time.Second)
	cfg.FirstBackoff, cfg.MostBackoff = cmp.Or(cfg.FirstBackoff, time.Second/2), cmp.Or(cfg.MostBackoff, 4*time.Second)
	if cfg.Proxy == nil {
		cfg.Proxy = http.ProxyFromEnvironment
	}
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Gateway{cfg: cfg, log: log}
}

// apart is the least time between the beginnings of two connections. A server that ends
// each connection as soon as it is open is not asked in a loop.
const apart = time.Second

// Run stays connected until ctx ends, and then returns nil. If retrying cannot help, it
// returns ErrToken, ErrIntents or another exported error of this package. It may be
// called once.
func (g *Gateway) Run(ctx context.Context, h Handler) error {
	g.handler = h
	for failures := 0; ; {
		began := time.Now()
		open, err := g.connection(ctx)
		switch {
		case stopped(ctx):
			return nil
		case IsFatal(err):
			return err
		case open:
			failures = 0
		default:
			failures++
		}
		pause := max(g.backoff(failures), time.Until(began.Add(apart)))
		if errors.Is(err, errUnreached) {
			g.log.WarnContext(ctx, "Discord cannot be reached, trying again; check DISCORD_API_URL and the network if this goes on", "error", err, "in", pause)
		} else {
			g.log.WarnContext(ctx, "the gateway connection ended, connecting again", "error", err, "in", pause)
		}
		g.backoffs.Store(int64(pause))
		_ = wait.For(ctx, pause)
		g.backoffs.Store(0)
		if stopped(ctx) {
			return nil
		}
	}
}

func stopped(ctx context.Context) bool { return ctx.Err() != nil }

// Status counts how many shards of a process are connected.
type Status struct {
	Connected int           // shards whose events flow
	Apart     int           // shards that are connecting, or pause before they do
	Backoff   time.Duration // the longest of these pauses
}

// Flow reports whether the events of everything that falls to the process arrive: if one
// connection is down, a deletion may not be heard of.
func (s Status) Flow() bool { return s.Connected > 0 && s.Apart == 0 }

// Status returns how the gateway is connected now.
func (g *Gateway) Status() Status {
	if g.up.Load() {
		return Status{Connected: 1}
	}
	return Status{Apart: 1, Backoff: time.Duration(g.backoffs.Load())}
}

// Dropped returns the number of payloads that could not be read.
func (g *Gateway) Dropped() uint64 { return g.drops.Load() }

// connection resumes the current session, or opens a new one, and returns why the
// connection ended. It reports whether events have flowed.
func (g *Gateway) connection(ctx context.Context) (open bool, err error) {
	s := g.session
	fresh := s == nil
	if fresh {
		if s, err = g.newSession(ctx); err != nil {
			return false, err
		}
		g.session = s
	}
	open, err = s.run(ctx)
	g.current.Store(nil)
	g.disconnected()
	if ctx.Err() != nil || !s.resumable(err) {
		g.session = nil
	}
	if fresh && !open && ctx.Err() == nil && !IsFatal(err) {
		err = cmp.Or(g.checkToken(ctx), err)
	}
	return open, err
}

// deliver passes one event of c to the handler. Its error ends the connection.
func (g *Gateway) deliver(c *connection, name string, data json.RawMessage) error {
	switch name {
	case nameReady:
		ready, err := discord.Decode[discord.Ready](data)
		if err != nil {
			return fmt.Errorf("%w: %w", errReady, err)
		}
		c.session.established(ready)
		c.opened()
		g.connected(Connected{Shard: g.cfg.Shard, Ready: ready})
	case nameResumed:
		c.session.continued()
		c.opened()
		g.connected(Connected{Shard: g.cfg.Shard, Resumed: true})
	}
	g.hearing.hears(time.Now())
	g.guard(name, func() { g.handler.Event(name, data) })
	return nil
}

// drop counts a payload that could not be read. It logs the first, the second, the
// fourth and so on.
func (g *Gateway) drop(name string) {
	if n := g.drops.Add(1); n&(n-1) == 0 {
		g.log.Warn("a gateway payload could not be read and was dropped", "event", name, "dropped", n)
	}
}

func (g *Gateway) connected(c Connected) {
	g.hearing.begin(time.Now())
	g.up.Store(true)
	g.guard("Connected", func() { g.handler.Connected(c) })
}

// disconnected calls the handler's Disconnected once for each Connected.
func (g *Gateway) disconnected() {
	if g.up.CompareAndSwap(true, false) {
		g.guard("Disconnected", func() { g.handler.Disconnected() })
	}
}

// guard calls f, which calls the handler, and recovers a panic. The log names the event
// but contains neither its data nor the value of the panic, which may hold people's text.
func (g *Gateway) guard(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			g.log.Error("a gateway handler panicked, the event is lost", "event", name, "panic", fmt.Sprintf("%T\n%s", r, debug.Stack()))
		}
	}()
	f()
}
