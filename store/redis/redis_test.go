package redis_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"heddle/internal/redistest"
	"heddle/store/redis"
	"heddle/store/storetest"
)

func TestContractOverMiniredis(t *testing.T) {
	t.Parallel()
	storetest.Run(t, overMiniredis)
}

func TestContractEncryptedOverMiniredis(t *testing.T) {
	t.Parallel()
	storetest.RunEncrypted(t, overMiniredis)
	storetest.Run(t, storetest.Encrypted(overMiniredis))
}

func TestInterruptedOperationsOverMiniredis(t *testing.T) {
	t.Parallel()
	storetest.Interrupted(t, overMiniredis)
}

func overMiniredis(t *testing.T) storetest.Subject {
	t.Helper()
	server := miniredis.RunT(t)
	now := time.Now()
	server.SetTime(now)
	return storetest.Subject{
		Engine:   open(t, redis.Options{URL: "redis://" + server.Addr()}),
		Readable: true,
		Now:      func() time.Time { return now },
		Advance: func(d time.Duration) {
			now = now.Add(d)
			server.SetTime(now)
			server.FastForward(d)
		},
		Dump: func() []byte { return dump(t, goredis.NewClient(&goredis.Options{Addr: server.Addr()})) },
	}
}

func TestContractOverRedis(t *testing.T) {
	t.Parallel()
	server := start(t)
	if server == nil {
		return
	}
	open := overRedis(server)
	storetest.Run(t, open)
	storetest.Run(t, storetest.Encrypted(open))
	storetest.RunEncrypted(t, open)
	storetest.RunBackup(t, open, overMiniredis)
	storetest.RunBackup(t, overMiniredis, open)
}

// overRedis opens an emptied server.
func overRedis(server *redistest.Server) func(*testing.T) storetest.Subject {
	return func(t *testing.T) storetest.Subject {
		t.Helper()
		client := goredis.NewClient(&goredis.Options{Network: "unix", Addr: server.Socket()})
		must(t, client.FlushAll(t.Context()).Err())
		var ahead time.Duration
		return storetest.Subject{
			Engine:   open(t, redis.Options{URL: server.URL()}),
			Readable: true,
			Now:      func() time.Time { return time.Now().Add(ahead) },
			Advance: func(d time.Duration) {
				ahead += d
				advance(t, client, d)
			},
			Dump: func() []byte { return dump(t, client) },
		}
	}
}

// start starts a real server. If none is installed it returns nil, except on CI, where
// it fails the test.
func start(tb testing.TB) *redistest.Server {
	tb.Helper()
	server, err := redistest.Start(tb.Context())
	if errors.Is(err, redistest.ErrMissing) && !redistest.Required() {
		tb.Logf("left out: %v", err)
		return nil
	}
	must(tb, err)
	tb.Cleanup(func() {
		if err := server.Close(); err != nil {
			tb.Error(err)
		}
	})
	return server
}

func open(tb testing.TB, options redis.Options) *redis.DB {
	tb.Helper()
	if options.Timeout == 0 {
		options.Timeout = time.Minute // so that a loaded machine does not fail a test
	}
	db, err := redis.Open(options)
	must(tb, err)
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// advance moves every expiry on a server closer by d, as if that time had passed.
func advance(t *testing.T, client *goredis.Client, d time.Duration) {
	t.Helper()
	ctx := t.Context()
	for _, key := range keys(t, client) {
		left := client.PTTL(ctx, key).Val()
		if left <= d {
			must(t, client.Del(ctx, key).Err())
			continue
		}
		must(t, client.PExpire(ctx, key, left-d).Err())
		for _, member := range members(ctx, client, key) {
			member.Score -= float64(d.Milliseconds())
			must(t, client.ZAdd(ctx, key, member).Err())
		}
	}
}

func keys(t *testing.T, client *goredis.Client) []string {
	t.Helper()
	all, err := client.Keys(t.Context(), "*").Result()
	must(t, err)
	return all
}

func members(ctx context.Context, client *goredis.Client, key string) []goredis.Z {
	return client.ZRangeWithScores(ctx, key, 0, -1).Val() // empty for a value
}

func dump(t *testing.T, client *goredis.Client) []byte {
	t.Helper()
	var all bytes.Buffer
	for _, key := range keys(t, client) {
		all.WriteString(key)
		all.WriteString(client.Get(t.Context(), key).Val()) // empty for a set
		for _, member := range members(t.Context(), client, key) {
			text, _ := member.Member.(string)
			all.WriteString(text)
		}
	}
	return all.Bytes()
}

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
