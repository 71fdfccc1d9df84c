package cli

import (
	"heddle/bot/gateway"
	"heddle/bot/shards"
	"heddle/config"
	"heddle/store"
)

// newShards returns the shards that this process runs. Whatever it runs, processes that
// share a Redis take turns to identify.
func newShards(c config.Config, of gateway.Config, stored *store.Store) (*shards.Shards, error) {
	cfg := shards.Config{Gateway: of, Count: c.ShardCount, Only: c.Shards.Only()}
	if c.RedisURL != "" {
		cfg.Turns = stored.Shards()
	}
	if c.Shards.Leased() {
		cfg.Registry = stored.Shards()
	}
	return shards.New(cfg)
}
