package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/leaktest"
	"heddle/internal/redistest"
	"heddle/store"
	"heddle/store/redis"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// heard is a handler that records the messages and guilds that came.
type heard struct {
	mu       sync.Mutex
	messages map[string]int                 // how often each text came
	reported map[int]map[graph.GuildID]bool // guilds by shard
}

func newHeard() *heard {
	return &heard{messages: make(map[string]int), reported: make(map[int]map[graph.GuildID]bool)}
}

func (h *heard) Connected(c gateway.Connected) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, guild := range c.Ready.Guilds {
		if h.reported[c.Shard.ID] == nil {
			h.reported[c.Shard.ID] = make(map[graph.GuildID]bool)
		}
		h.reported[c.Shard.ID][guild.ID] = true
	}
}

func (h *heard) Disconnected() {}

func (h *heard) Event(name string, data json.RawMessage) {
	if name != "MESSAGE_CREATE" {
		return
	}
	m, err := discord.Decode[discord.Message](data)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.messages[m.Content]++
}

// times returns how often a message has come.
func (h *heard) times(text string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.messages[text]
}

// await waits until a message has come to one of several processes.
func (w *town) await(text string, all ...*process) {
	w.t.Helper()
	w.until(func() bool {
		return slices.ContainsFunc(all, func(p *process) bool { return p.times(text) > 0 })
	}, text)
}

// until waits until what is true. missing tells what is waited for.
func (w *town) until(what func() bool, missing string) {
	w.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !what() {
		select {
		case <-tick.C:
		case <-w.ctx.Done():
			w.t.Fatalf("waited for %s: %v", missing, w.ctx.Err())
		}
	}
}

// town is a Discord with guilds, and a Redis.
type town struct {
	t        *testing.T
	ctx      context.Context //nolint:containedctx // a test's own
	discord  *discordtest.Server
	bot      discordtest.Bot
	ann      graph.UserID
	guilds   []graph.GuildID
	channels []graph.ChannelID
	redis    *redistest.Server
}

func newTown(t *testing.T, guilds int, o discordtest.Options) *town {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
	t.Cleanup(cancel)
	o.Limits = discordtest.NoLimits()
	if o.Clock == nil { // a guild's shard depends on the millisecond in which the guild was created
		var ahead atomic.Int64
		o.Clock = func() time.Time {
			return time.Now().Add(time.Duration(ahead.Add(rand.Int64N(int64(20 * time.Millisecond)))))
		}
	}
	w := &town{t: t, ctx: ctx, discord: discordtest.New(o)}
	t.Cleanup(w.discord.Close)
	w.bot = w.discord.People.AddBot("heddle")
	for i := range guilds {
		guild := w.discord.World.AddGuild(fmt.Sprintf("guild %d", i))
		w.discord.People.Join(guild, w.bot.User)
		w.guilds = append(w.guilds, guild)
		w.channels = append(w.channels, w.discord.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"}))
	}
	w.ann = w.discord.People.AddUser("ann", w.guilds...)
	return w
}

// shared starts a Redis for processes to share.
func (w *town) shared() {
	w.t.Helper()
	w.redis = redistest.Started(redistest.Start(w.ctx))(w.t)
}

// stored returns a process's connection to the Redis.
func (w *town) stored() *store.Store {
	w.t.Helper()
	engine := errtest.Must(redis.Open(redis.Options{URL: w.redis.URL(), Timeout: discordtest.Patience}))(w.t)
	stored := store.New(engine, store.Options{})
	w.t.Cleanup(func() { _ = stored.Close() })
	return stored
}

// process is a process that runs shards.
type process struct {
	*heard

	shards *gateway.Shards
	stop   context.CancelFunc
	done   chan struct{}
	err    error
}

// end ends a process as SIGTERM does.
func (p *process) end() {
	p.stop()
	<-p.done
}

// start starts a process. Its durations are fractions of the defaults.
func (w *town) start(change func(*gateway.ShardsConfig)) *process {
	w.t.Helper()
	rest := discord.NewREST(discord.RESTConfig{BaseURL: w.discord.URL(), Token: w.bot.Token})
	p := &process{heard: newHeard(), done: make(chan struct{})}
	cfg := gateway.ShardsConfig{
		Gateway: gateway.Config{Token: w.bot.Token, REST: rest, Log: slog.New(slog.NewTextHandler(w.t.Output(), nil))},
		Every:   50 * time.Millisecond, Late: time.Second, Lease: 2 * time.Second, Tick: 50 * time.Millisecond,
	}
	if w.redis != nil {
		stored := w.stored()
		cfg.Registry, cfg.Turns = stored.Shards, stored.Claims
	}
	if change != nil {
		change(&cfg)
	}
	p.shards = gateway.NewShards(cfg)
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	go func() {
		defer close(p.done)
		p.err = p.shards.Run(ctx, p)
	}()
	w.t.Cleanup(p.end)
	return p
}

// awaitShards waits until exactly the shards 0 to count-1 are connected, each once.
func (w *town) awaitShards(count int) {
	w.t.Helper()
	if err := w.discord.Gateway.Await(w.ctx, func(now discordtest.GatewayState) bool {
		for id := range count {
			if now.Shards[[2]int{id, count}] != 1 {
				return false
			}
		}
		return len(now.Shards) == count
	}); err != nil {
		w.t.Fatal(err)
	}
}

// settled waits until each process runs the given number of shards and all are ready.
func (w *town) settled(processes []*process, numbers ...int) {
	w.t.Helper()
	w.until(func() bool {
		var have []int
		for _, p := range processes {
			if s := p.shards.Status(); s.Apart == 0 {
				have = append(have, s.Connected)
			}
		}
		slices.Sort(have)
		return slices.Equal(have, numbers)
	}, fmt.Sprintf("processes that run %v shards", numbers))
}

// said posts a message in each guild and waits until each message has reached a
// process.
func (w *town) said(text string, processes ...*process) {
	w.t.Helper()
	for i, channel := range w.channels {
		errtest.Must(w.discord.Chat.Post(channel, w.ann, discordtest.Draft{Content: fmt.Sprintf("%s %d", text, i)}))(w.t)
	}
	for i := range w.channels {
		w.await(fmt.Sprintf("%s %d", text, i), processes...)
	}
}
