package shards

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"heddle/bot/gateway"
	"heddle/graph"
	"heddle/internal/discord"
)

// run is one shard that this process runs, from its start to its end.
type run struct {
	shard   gateway.Shard
	gateway *gateway.Gateway
	stop    context.CancelFunc
	done    chan struct{}             // closed once it has ended
	loaded  atomic.Bool               // Discord has sent every guild of the shard
	began   atomic.Pointer[time.Time] // time of READY; nil before READY
}

// mostLoading bounds the wait for guilds after READY. During an outage of Discord some
// guilds are not sent at all.
const mostLoading = 15 * time.Second

// isReady reports whether the shard receives the events of all its guilds.
func (r *run) isReady() bool {
	began := r.began.Load()
	return r.loaded.Load() || began != nil && time.Since(*began) > mostLoading
}

// begin starts to run a shard.
func (s *Shards) begin(ctx context.Context, id int) {
	cfg := s.cfg.Gateway
	if s.count > 1 {
		cfg.Shard = gateway.Shard{ID: id, Count: s.count}
	}
	cfg.Turn = func(ctx context.Context, o discord.Offer) (time.Time, error) { return s.turn(ctx, id, o) }
	g, err := gateway.New(cfg)
	if err != nil {
		s.fail(err) // New has checked the same configuration
		return
	}
	s.log.DebugContext(ctx, "a shard starts", "shard", id, "shards", s.count)
	ctx, stop := context.WithCancel(ctx)
	r := &run{shard: gateway.Shard{ID: id, Count: s.count}, gateway: g, stop: stop, done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[id] = r
	s.running.Go(func() {
		defer close(r.done)
		s.ended(r, g.Run(ctx, &ear{relay: &s.relay, run: r, news: s.news}))
	})
}

// ended handles the end of a run.
func (s *Shards) ended(r *run, err error) {
	r.stop()
	defer s.news()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped += r.gateway.Dropped()
	delete(s.runs, r.shard.ID)
	switch {
	case errors.Is(err, gateway.ErrShard):
		s.more = true
	case err != nil && s.endedErr == nil:
		s.endedErr = err
	}
}

// relay passes the events of all shards to one handler, one at a time.
type relay struct {
	mu sync.Mutex
	to gateway.Handler
}

// ear receives the events of one shard.
type ear struct {
	*relay

	run     *run
	news    func()
	pending map[graph.GuildID]bool // the guilds in READY that Discord has not sent yet
}

// Connected implements gateway.Handler.
func (e *ear) Connected(c gateway.Connected) {
	c.Shard = e.run.shard
	e.pending = make(map[graph.GuildID]bool)
	for _, guild := range c.Ready.Guilds {
		e.pending[guild.ID] = true
	}
	began := time.Now()
	e.run.began.Store(&began)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.to.Connected(c)
}

// Event implements gateway.Handler. Discord sends each guild before the guild's events,
// so the shard is ready once Discord has sent all guilds.
func (e *ear) Event(name string, data json.RawMessage) {
	e.mu.Lock()
	e.to.Event(name, data)
	e.mu.Unlock()
	if e.run.loaded.Load() {
		return
	}
	if name == "GUILD_CREATE" || name == "GUILD_DELETE" {
		var guild struct {
			ID graph.GuildID `json:"id"`
		}
		if json.Unmarshal(data, &guild) == nil {
			delete(e.pending, guild.ID)
		}
	}
	if len(e.pending) == 0 {
		e.run.loaded.Store(true)
		e.news()
	}
}

// Disconnected implements gateway.Handler.
func (e *ear) Disconnected() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.to.Disconnected()
}

// Ended implements gateway.Handler.
func (e *ear) Ended() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.to.Ended()
}
