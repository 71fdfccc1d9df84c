package redis_test

import (
	"errors"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"heddle/internal/redistest"
	"heddle/store/redis"
	"heddle/store/storetest"
)

// TestContractOverCluster runs the contract over a real Cluster, which refuses calls
// across slots. miniredis does not.
func TestContractOverCluster(t *testing.T) {
	t.Parallel()
	cluster, ok := startCluster(t)
	if !ok {
		return
	}
	var clients []*goredis.Client
	for _, node := range cluster.Nodes() {
		clients = append(clients, goredis.NewClient(&goredis.Options{Network: "unix", Addr: node.Socket()}))
	}
	storetest.Run(t, func(t *testing.T) storetest.Subject {
		t.Helper()
		for _, client := range clients {
			must(t, client.FlushAll(t.Context()).Err())
		}
		var ahead time.Duration
		return storetest.Subject{
			Engine:   open(t, redis.Options{URL: cluster.URL()}),
			Readable: true,
			Now:      func() time.Time { return time.Now().Add(ahead) },
			Advance: func(d time.Duration) {
				ahead += d
				for _, client := range clients {
					advance(t, client, d)
				}
			},
			Dump: func() []byte {
				var all []byte
				for _, client := range clients {
					all = append(all, dump(t, client)...)
				}
				return all
			},
		}
	})
}

// startCluster starts a Cluster for a test. It reports false if redis-server is not
// installed, unless the environment requires it.
func startCluster(t *testing.T) (*redistest.Cluster, bool) {
	t.Helper()
	cluster, err := redistest.StartCluster(t.Context())
	if errors.Is(err, redistest.ErrMissing) && !redistest.Required() {
		t.Logf("left out: %v", err)
		return nil, false
	}
	must(t, err)
	t.Cleanup(func() { must(t, cluster.Close()) })
	return cluster, true
}
