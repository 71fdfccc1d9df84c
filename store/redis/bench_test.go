package redis_test

import (
	"strconv"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"heddle/store"
	"heddle/store/redis"
	"heddle/store/storetest"
)

func BenchmarkStore(b *testing.B) { measure(b, storetest.Bench) }

func BenchmarkEncryptedStore(b *testing.B) { measure(b, storetest.BenchEncrypted) }

// measure runs a benchmark over a server.
func measure(b *testing.B, bench func(*testing.B, func(*testing.B) (store.Engine, func() int))) {
	b.Helper()
	server := start(b)
	if server == nil {
		return
	}
	// Removing a million entries takes the server long.
	client := goredis.NewClient(&goredis.Options{Network: "unix", Addr: server.Socket(), ReadTimeout: -1})
	bench(b, func(b *testing.B) (store.Engine, func() int) {
		b.Helper()
		must(b, client.FlushAll(b.Context()).Err())
		return open(b, redis.Options{URL: server.URL()}), func() int {
			info, err := client.Info(b.Context(), "memory").Result()
			must(b, err)
			_, after, _ := strings.Cut(info, "used_memory_dataset:")
			digits, _, _ := strings.Cut(after, "\r\n")
			used, err := strconv.Atoi(digits)
			must(b, err)
			return used
		}
	})
}
