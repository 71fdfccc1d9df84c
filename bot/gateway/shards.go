package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// ShardsConfig configures NewShards. A zero duration stands for the default named beside it.
type ShardsConfig struct {
	// Gateway configures each shard. Its Shard is not used.
	Gateway Config
	// Turns coordinates when processes identify. If nil, no other process identifies.
	Turns *store.Claims
	// Registry divides the shards among processes. If nil, this process runs all of them.
	Registry *store.Shards
	Every    time.Duration // least time between two identifies with the same rate limit key; 5 s, as Discord demands
	Late     time.Duration // how late an identify may be after its turn began; 1 s
	Lease    time.Duration // time after which the shards of a dead process are free; 6 s
	Tick     time.Duration // time between two exchanges with the registry; 1 s
}

func (c ShardsConfig) withDefaults() ShardsConfig {
	c.Every, c.Late = cmp.Or(c.Every, 5*time.Second), cmp.Or(c.Late, time.Second)
	c.Lease, c.Tick = cmp.Or(c.Lease, 6*time.Second), cmp.Or(c.Tick, time.Second)
	return c
}

// agreed is how long the registry stores the number of shards, for processes that start
// later.
const agreed = 24 * time.Hour

// Shards runs shards.
type Shards struct {
	cfg    ShardsConfig
	member string   // the unique name of this process
	asking *Gateway // asks Discord how to connect
	turns  *turns   // of the shards of this process
	relay  relay
	log    *slog.Logger
	wake   wait.Signal // the next exchange should not wait
	count  int         // of all shards of the bot; the goroutine of Run owns it
	away   bool        // the registry was away at the last exchange; likewise

	mu       sync.Mutex
	runs     map[int]*run // by the id of the shard
	want     int          // shards that this process should run
	dropped  uint64
	endedErr error
	running  sync.WaitGroup
}

// NewShards returns Shards, which are not connected yet.
func NewShards(cfg ShardsConfig) *Shards {
	cfg = cfg.withDefaults()
	s := &Shards{
		cfg: cfg, member: rand.Text()[:12], asking: New(cfg.Gateway), turns: &turns{ends: make(map[int]time.Time)}, log: cfg.Gateway.Log,
		wake: wait.NewSignal(), runs: make(map[int]*run),
		want: 1, // assumed until the share of this process is known
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Run runs shards until ctx ends, frees them for other processes, and returns nil. If
// retrying cannot help, it returns one of the errors of this package. It may be
// called once.
func (s *Shards) Run(ctx context.Context, h Handler) error {
	s.relay = relay{to: h, news: s.wake}
	count, err := s.firstCount(ctx)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	s.count = count
	working := context.WithoutCancel(ctx)
	defer s.leave(working)
	for ctx.Err() == nil {
		grown := s.step(working)
		if err := s.failure(); err != nil {
			return err
		}
		if grown > s.count {
			s.log.WarnContext(ctx, "another process has begun more shards, beginning all of them anew", "shards", grown, "before", s.count)
			s.free(working, s.stop(s.ids()...))
			s.count = grown
			continue
		}
		_ = wait.Until(ctx, s.wake, s.cfg.Tick) // the next exchange is due, whatever ended the wait
	}
	return nil
}

// firstCount returns the number of shards to start with: the one that Discord recommends, or
// the number that other processes run if that is higher. It fails if ctx ends, or if retrying
// cannot help.
func (s *Shards) firstCount(ctx context.Context) (count int, err error) {
	for failures := 0; count == 0; failures++ {
		offer, err := s.asking.Offer(ctx)
		switch {
		case err == nil:
			count = max(offer.Shards, 1)
		case ctx.Err() != nil, IsFatal(err):
			return 0, err
		default:
			pause := min(4*time.Second, 500*time.Millisecond<<min(failures, 4))
			s.log.WarnContext(ctx, "Discord cannot be reached, trying again; check DISCORD_API_URL and the network if this goes on", "error", err, "in", pause)
			if err := wait.For(ctx, pause); err != nil {
				return 0, err
			}
		}
	}
	if s.cfg.Registry == nil {
		return count, nil
	}
	if got, err := s.cfg.Registry.Grow(ctx, count, agreed); err == nil {
		count = got
	}
	return count, nil
}

// failure returns the error of a shard for which retrying does not help.
func (s *Shards) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endedErr
}

// Status returns how the shards are connected. A process without shards counts as
// connected.
func (s *Shards) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all Status
	for _, r := range s.runs {
		one := r.gateway.Status()
		all.Connected += one.Connected
		all.Apart += one.Apart
		all.Backoff = max(all.Backoff, one.Backoff)
	}
	if missing := s.want - len(s.runs); missing > 0 {
		all.Apart += missing
	}
	return all
}

// Dropped returns the number of payloads that could not be read.
func (s *Shards) Dropped() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.dropped
	for _, r := range s.runs {
		n += r.gateway.Dropped()
	}
	return n
}

// RequestMembers asks Discord for at most 100 members of a guild, which takes no privileged
// intent. They come in GUILD_MEMBERS_CHUNK. It reports false if the guild's shard is not
// connected here. Discord closes connections on which more than 120 payloads are sent in a minute.
func (s *Shards) RequestMembers(guild graph.GuildID, people []graph.UserID) bool {
	s.mu.Lock()
	var c *connection
	for _, r := range s.runs {
		if r.shard.Has(guild) {
			c = r.gateway.current.Load()
		}
	}
	s.mu.Unlock()
	return c != nil && c.send(opMembers, struct {
		Guild graph.GuildID  `json:"guild_id"`
		Users []graph.UserID `json:"user_ids"`
		Limit int            `json:"limit"`
	}{guild, people, 0}) == nil
}

// turn waits until a shard may identify, and returns the time until which it may.
func (s *Shards) turn(ctx context.Context, id int, o discord.Offer) (until time.Time, err error) {
	key, ttl := id%max(o.Concurrency, 1), s.cfg.Every+s.cfg.Late
	for {
		asked := time.Now()
		err := store.ErrUnavailable
		if s.cfg.Turns != nil { // nobody releases a turn
			_, err = s.cfg.Turns.Claim(ctx, store.IdentifyClaim(key), ttl)
		}
		switch {
		case err == nil, errors.Is(err, store.ErrUnavailable) && s.turns.take(key, ttl): // no other process can take it then, either
			return asked.Add(s.cfg.Late), nil
		case !errors.Is(err, store.ErrHeld) && !errors.Is(err, store.ErrUnavailable):
			return time.Time{}, err
		}
		if err := wait.For(ctx, min(s.cfg.Every/20, 250*time.Millisecond)); err != nil {
			return time.Time{}, fmt.Errorf("wait to identify: %w", err)
		}
	}
}

// turns are the turns to identify that no other process takes.
type turns struct {
	mu   sync.Mutex
	ends map[int]time.Time // of the turn of each key
}

// take takes the turn of a key for ttl, and reports whether it succeeded.
func (t *turns) take(key int, ttl time.Duration) (taken bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if taken = !now.Before(t.ends[key]); taken {
		t.ends[key] = now.Add(ttl)
	}
	return taken
}

// run is one shard that this process runs, from its start to its end.
type run struct {
	shard   Shard
	gateway *Gateway
	stop    context.CancelFunc
	done    chan struct{} // closed once it has ended
}

// begin starts to run a shard.
func (s *Shards) begin(ctx context.Context, id int) {
	cfg := s.cfg.Gateway
	if s.count > 1 {
		cfg.Shard = Shard{ID: id, Count: s.count}
	}
	g := New(cfg)
	g.shards = s
	s.log.DebugContext(ctx, "a shard starts", "shard", id, "shards", s.count)
	ctx, stop := context.WithCancel(ctx)
	r := &run{shard: Shard{ID: id, Count: s.count}, gateway: g, stop: stop, done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[id] = r
	s.running.Go(func() {
		defer close(r.done)
		s.ended(r, g.Run(ctx, &s.relay))
	})
}

// ended handles the end of a run.
func (s *Shards) ended(r *run, err error) {
	r.stop()
	defer s.wake.Set()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped += r.gateway.Dropped()
	delete(s.runs, r.shard.ID)
	s.endedErr = cmp.Or(s.endedErr, err)
}

// relay passes the events of all shards to one handler, one at a time.
type relay struct {
	mu   sync.Mutex
	to   Handler
	news wait.Signal // makes the next exchange with the registry happen earlier
}

// Connected implements Handler.
func (r *relay) Connected(c Connected) {
	r.news.Set()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to.Connected(c)
}

// Event implements Handler.
func (r *relay) Event(name string, data json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to.Event(name, data)
}

// Disconnected implements Handler.
func (r *relay) Disconnected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to.Disconnected()
}
