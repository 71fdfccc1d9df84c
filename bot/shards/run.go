package shards

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"heddle/bot/gateway"
	"heddle/internal/discord"
)

// run is one shard that this process runs, from its start to its end.
type run struct {
	shard   gateway.Shard
	gateway *gateway.Gateway
	stop    context.CancelFunc
	done    chan struct{} // closed once it has ended
}

// begin starts to run a shard.
func (s *Shards) begin(ctx context.Context, id int) {
	cfg := s.cfg.Gateway
	if s.count > 1 {
		cfg.Shard = gateway.Shard{ID: id, Count: s.count}
	}
	cfg.Turn = func(ctx context.Context, o discord.Offer) (time.Time, error) { return s.turn(ctx, id, o) }
	g := gateway.New(cfg)
	s.log.DebugContext(ctx, "a shard starts", "shard", id, "shards", s.count)
	ctx, stop := context.WithCancel(ctx)
	r := &run{shard: gateway.Shard{ID: id, Count: s.count}, gateway: g, stop: stop, done: make(chan struct{})}
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
	to   gateway.Handler
	news func() // makes the next exchange with the registry happen earlier
}

// Connected implements gateway.Handler.
func (r *relay) Connected(c gateway.Connected) {
	r.news()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to.Connected(c)
}

// Event implements gateway.Handler.
func (r *relay) Event(name string, data json.RawMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to.Event(name, data)
}

// Disconnected implements gateway.Handler.
func (r *relay) Disconnected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to.Disconnected()
}
