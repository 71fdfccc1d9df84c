package discordtest

import (
	"time"

	"heddle/graph"
)

// sharding is the rules of the gateway for shards.
type sharding struct {
	recommended, concurrency int
	guilds                   int           // that one shard may have
	every                    time.Duration // between two identifies with one key; zero allows any

	last map[identifyKey]time.Time
}

type identifyKey struct {
	bot graph.UserID
	key int
}

func newSharding(o Options) sharding {
	return sharding{
		recommended: max(o.Shards, 1), concurrency: max(o.MaxConcurrency, 1), guilds: 2500, every: o.IdentifyEvery,
		last: make(map[identifyKey]time.Time),
	}
}

// tooFew reports whether a shard of a bot has more guilds than it may.
func (s *sharding) tooFew(w *world, b *bot, shard [2]int) bool {
	n := 0
	for _, g := range w.guildsOf(b) {
		if shardOf(g.id, shard[1]) == shard[0] {
			n++
		}
	}
	return n > s.guilds
}

// tooSoon records an identify and reports whether it comes too soon after another one
// with the same key.
func (s *sharding) tooSoon(b *bot, shard [2]int, now time.Time) bool {
	if s.every == 0 {
		return false
	}
	key := identifyKey{b.id, shard[0] % s.concurrency}
	before, seen := s.last[key]
	s.last[key] = now
	return seen && now.Sub(before) < s.every
}

// Recommend changes how many shards the server recommends, and how many guilds each may
// have, as Discord does when a bot has grown.
func (g *Gateway) Recommend(shards, guildsPerShard int) {
	g.gateway.world.mu.Lock()
	defer g.gateway.world.mu.Unlock()
	g.gateway.sharding.recommended, g.gateway.sharding.guilds = shards, guildsPerShard
}

// CloseShardsOf closes every socket of a bot whose session identified with the given
// total number of shards.
func (g *Gateway) CloseShardsOf(who graph.UserID, count, code int) {
	g.gateway.world.mu.Lock()
	defer g.gateway.world.mu.Unlock()
	for k := range g.gateway.sockets {
		if k.session != nil && k.session.bot.id == who && k.session.shard[1] == count {
			g.gateway.sessions.end(k.session)
			k.closeWith(code)
		}
	}
}

// ShardsReady returns the number of connected sessions of each shard. A key is the id
// of the shard and the total number of shards.
func (g *Gateway) ShardsReady() map[[2]int]int {
	g.gateway.world.mu.RLock()
	defer g.gateway.world.mu.RUnlock()
	return g.shardsReady()
}

// shardsReady returns how many sessions are ready, by shard and number of shards.
func (g *Gateway) shardsReady() map[[2]int]int {
	ready := make(map[[2]int]int)
	for _, k := range g.gateway.sessions.byID {
		if k.ready && k.socket != nil {
			ready[k.shard]++
		}
	}
	return ready
}
