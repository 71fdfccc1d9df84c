package discordtest

// sharding is what the gateway recommends for shards.
type sharding struct{ recommended, concurrency int }

func newSharding(o Options) sharding {
	return sharding{recommended: max(o.Shards, 1), concurrency: max(o.MaxConcurrency, 1)}
}

// Recommend changes how many shards the server recommends, as Discord does when a bot has
// grown.
func (g *Gateway) Recommend(shards int) {
	g.gateway.world.mu.Lock()
	defer g.gateway.world.mu.Unlock()
	g.gateway.sharding.recommended = shards
}

// shardsReady returns the number of connected sessions of each shard. A key is the id of the
// shard and the total number of shards.
func (g *Gateway) shardsReady() map[[2]int]int {
	ready := make(map[[2]int]int)
	for _, k := range g.gateway.sessions.byID {
		if k.ready && k.socket != nil {
			ready[k.shard]++
		}
	}
	return ready
}
