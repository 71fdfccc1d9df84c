package redis_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"heddle/internal/errtest"
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
		Engine: open(t, redis.Options{URL: "redis://" + server.Addr()}),
		Now:    func() time.Time { return now },
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
	open := func(t *testing.T) storetest.Subject {
		t.Helper()
		return over(t, server)
	}
	storetest.Run(t, open)
	storetest.RunEncrypted(t, open)
	storetest.RunBackup(t, open, overMiniredis)
	storetest.RunBackup(t, overMiniredis, open)
}

// TestContractOverCluster runs the contract over a real Cluster, which refuses calls
// across slots. miniredis does not.
func TestContractOverCluster(t *testing.T) {
	t.Parallel()
	cluster := redistest.Started(redistest.StartCluster(t.Context()))(t)
	storetest.Run(t, func(t *testing.T) storetest.Subject {
		t.Helper()
		return over(t, cluster)
	})
}

// over opens a server, which it empties.
func over(t *testing.T, server *redistest.Server) storetest.Subject {
	t.Helper()
	client := goredis.NewClient(&goredis.Options{Network: "unix", Addr: server.Socket()})
	errtest.None(t, client.FlushAll(t.Context()).Err())
	var ahead time.Duration
	return storetest.Subject{
		Engine: open(t, redis.Options{URL: server.URL()}),
		Now:    func() time.Time { return time.Now().Add(ahead) },
		Advance: func(d time.Duration) {
			ahead += d
			advance(t, client, d)
		},
		Dump: func() []byte { return dump(t, client) },
	}
}

// start starts a real server.
func start(tb testing.TB) *redistest.Server {
	tb.Helper()
	return redistest.Started(redistest.Start(tb.Context()))(tb)
}

func open(tb testing.TB, options redis.Options) *redis.DB {
	tb.Helper()
	if options.Timeout == 0 {
		options.Timeout = time.Minute // so that a loaded machine does not fail a test
	}
	db := errtest.Must(redis.Open(options))(tb)
	tb.Cleanup(func() { errtest.None(tb, db.Close()) })
	return db
}

// advance moves every expiry on a server closer by d, as if that time had passed.
func advance(t *testing.T, client *goredis.Client, d time.Duration) {
	t.Helper()
	ctx := t.Context()
	for _, key := range keys(t, client) {
		left := client.PTTL(ctx, key).Val()
		if left <= d {
			errtest.None(t, client.Del(ctx, key).Err())
			continue
		}
		errtest.None(t, client.PExpire(ctx, key, left-d).Err())
		for _, member := range members(ctx, client, key) {
			member.Score -= float64(d.Milliseconds())
			errtest.None(t, client.ZAdd(ctx, key, member).Err())
		}
	}
}

func keys(t *testing.T, client *goredis.Client) []string {
	t.Helper()
	return errtest.Must(client.Keys(t.Context(), "*").Result())(t)
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
