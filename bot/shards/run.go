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

// run is a run of one shard in this process.
type run struct {
	shard   gateway.Shard
	gateway *gateway.Gateway
	stop    context.CancelFunc
	loaded  atomic.Bool  // every guild has been reported
	began   atomic.Int64 // the time of READY in nanoseconds; 0 before
	// more is set if Discord wants more shards than there are.
	more atomic.Bool

	// The generation owns these fields.
	held  bool   // otherwise it is to be taken over from another process
	from  string // that process
	since time.Time
}

// mostLoading is how long after READY the last guild may be reported. During an outage
// of Discord some guilds are not reported.
const mostLoading = 15 * time.Second

// isReady reports whether the events of all guilds arrive.
func (r *run) isReady() bool {
	began := r.began.Load()
	return r.loaded.Load() || began != 0 && time.Since(time.Unix(0, began)) > mostLoading
}

// begin runs a shard until it is stopped.
func (s *Shards) begin(ctx context.Context, shard gateway.Shard) (*run, error) {
	cfg := s.cfg.Gateway
	if shard.Count > 1 {
		cfg.Shard = shard
	}
	cfg.Turn = func(ctx context.Context, o gateway.Offer) (time.Time, error) { return s.turn(ctx, shard.ID, o) }
	g, err := gateway.New(cfg)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	r := &run{shard: shard, gateway: g, stop: stop, since: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[shard] = r
	s.running.Go(func() { s.ended(r, g.Run(ctx, &ear{relay: &s.relay, run: r, news: s.news})) })
	return r, nil
}

// ended handles the end of a run.
func (s *Shards) ended(r *run, err error) {
	r.stop()
	defer s.news()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped += r.gateway.Dropped()
	if s.runs[r.shard] == r {
		delete(s.runs, r.shard)
	}
	switch {
	case errors.Is(err, gateway.ErrShard):
		r.more.Store(true)
	case err != nil && s.endedErr == nil:
		s.endedErr = err
	}
}

// relay passes on the events of all shards, one at a time.
type relay struct {
	mu sync.Mutex
	to gateway.Handler
}

// ear receives the events of one shard.
type ear struct {
	*relay

	run     *run
	news    func()
	pending map[graph.GuildID]bool // guilds in READY that were not reported yet
}

// Connected implements gateway.Handler.
func (e *ear) Connected(c gateway.Connected) {
	c.Shard = e.run.shard
	e.pending = make(map[graph.GuildID]bool)
	for _, guild := range c.Ready.Guilds {
		e.pending[guild.ID] = true
	}
	e.run.began.Store(time.Now().UnixNano())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.to.Connected(c)
}

// Event implements gateway.Handler. Discord sends the events of a guild after the guild
// itself, so that the shard is ready once all guilds were reported.
func (e *ear) Event(name string, data json.RawMessage) {
	e.mu.Lock()
	e.to.Event(name, data)
	e.mu.Unlock()
	if e.run.loaded.Load() {
		return
	}
	if name == "GUILD_CREATE" || name == "GUILD_DELETE" {
		if guild, err := discord.DecodeGuild(data); err == nil {
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
