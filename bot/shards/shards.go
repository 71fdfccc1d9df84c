// Package shards runs the shards of a bot: all of them, or this process's share if
// several processes divide them.
//
// Processes that share shards coordinate through the store. Each holds leases on its
// shards and reads once a second what the others hold. A free shard is taken by a
// process that has fewer than its share. A process that has more closes one, frees it,
// and waits until it runs elsewhere before it frees the next. A process that shuts down
// frees all of its shards. Events of a shard that nobody runs meanwhile are missed:
// whoever takes it over reads what was said.
//
// If Discord wants more shards, Run ends. Whoever starts next asks how many, and the other
// processes begin all of theirs anew.
package shards

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"heddle/bot/gateway"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// Config configures New. A zero duration stands for the default named beside it.
type Config struct {
	// Gateway configures each shard. Its Shard and Turn are not used.
	Gateway gateway.Config
	// Turns coordinates when processes identify. If nil, no other process identifies.
	Turns *store.Claims
	// Registry divides the shards among processes. If nil, this process runs all of them.
	Registry *store.Shards
	Every    time.Duration // least time between two identifies with the same rate limit key; 5 s, as Discord demands
	Late     time.Duration // how late an identify may be after its turn began; 1 s
	Lease    time.Duration // time after which the shards of a dead process are free; 6 s
	Tick     time.Duration // time between two exchanges with the registry; 1 s
}

func (c Config) withDefaults() Config {
	c.Every, c.Late = cmp.Or(c.Every, 5*time.Second), cmp.Or(c.Late, time.Second)
	c.Lease, c.Tick = cmp.Or(c.Lease, 6*time.Second), cmp.Or(c.Tick, time.Second)
	return c
}

// agreed is how long the registry stores the number of shards, for processes that start
// later.
const agreed = 24 * time.Hour

// Shards runs shards.
type Shards struct {
	cfg    Config
	member string           // the unique name of this process
	asking *gateway.Gateway // asks Discord how to connect
	turns  *turns           // of the shards of this process
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

// New returns Shards, which are not connected yet.
func New(cfg Config) *Shards {
	cfg = cfg.withDefaults()
	s := &Shards{
		cfg: cfg, member: rand.Text()[:12], asking: gateway.New(cfg.Gateway), turns: &turns{ends: make(map[int]time.Time)}, log: cfg.Gateway.Log,
		wake: wait.NewSignal(), runs: make(map[int]*run),
		want: 1, // assumed until the share of this process is known
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Run runs shards until ctx ends, frees them for other processes, and returns nil. If
// retrying cannot help, it returns one of the errors of package gateway. It may be
// called once.
func (s *Shards) Run(ctx context.Context, h gateway.Handler) error {
	s.relay = relay{to: h, news: s.wake.Set}
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
		case ctx.Err() != nil, gateway.IsFatal(err):
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
func (s *Shards) Status() gateway.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all gateway.Status
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
