package redis

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"heddle/store"
)

// Walk implements store.Walker. It may return an entry more than once.
func (d *DB) Walk(ctx context.Context, f func([]store.Entry) error) error {
	cluster, ok := d.client.(*goredis.ClusterClient)
	if !ok {
		return d.walkNode(ctx, d.client, f)
	}
	var one sync.Mutex // f is called once at a time
	return cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error {
		return d.walkNode(ctx, node, func(entries []store.Entry) error {
			one.Lock()
			defer one.Unlock()
			return f(entries)
		})
	})
}

// Purge makes every server that has an append-only file rewrite it. Until then erased
// data is still in the file.
func (d *DB) Purge(ctx context.Context) error {
	rewrite := func(ctx context.Context, node goredis.Cmdable) error {
		return d.call(ctx, func(ctx context.Context) error {
			info, err := node.Info(ctx, "persistence").Result()
			if err != nil || !strings.Contains(info, "aof_enabled:1") {
				return err
			}
			return node.BgRewriteAOF(ctx).Err()
		})
	}
	if cluster, ok := d.client.(*goredis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *goredis.Client) error { return rewrite(ctx, node) })
	}
	return rewrite(ctx, d.client)
}

// walkNode walks what one server holds.
func (d *DB) walkNode(ctx context.Context, node goredis.Cmdable, f func([]store.Entry) error) error {
	const some = 500
	for cursor, done := uint64(0), false; !done; {
		var entries []store.Entry
		err := d.call(ctx, func(ctx context.Context) error {
			keys, next, err := node.Scan(ctx, cursor, "heddle:*", some).Result()
			if err != nil {
				return err
			}
			cursor, done = next, next == 0
			entries, err = entriesOf(ctx, node, keys)
			return err
		})
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			continue
		}
		if err := f(entries); err != nil {
			return err
		}
	}
	return nil
}

// read holds the commands that read one key.
type read struct {
	key   store.Key
	left  *goredis.DurationCmd
	value *goredis.StringCmd
	set   *goredis.ZSliceCmd
}

// entriesOf reads the values and sets that are stored under keys.
func entriesOf(ctx context.Context, node goredis.Cmdable, keys []string) ([]store.Entry, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	pipe := node.Pipeline()
	kinds := make([]*goredis.StatusCmd, len(keys))
	for i, key := range keys {
		kinds[i] = pipe.Type(ctx, key)
	}
	now := pipe.Time(ctx)
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("read the types of keys: %w", err)
	}
	pipe = node.Pipeline()
	var reads []read
	for i, name := range keys {
		key, ok := parseKey(name)
		if !ok {
			continue
		}
		r := read{key: key, left: pipe.PTTL(ctx, name)}
		switch kinds[i].Val() {
		case "string":
			r.value = pipe.Get(ctx, name)
		case "zset":
			r.set = pipe.ZRangeWithScores(ctx, name, 0, -1)
		default:
			continue
		}
		reads = append(reads, r)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error, because a key may have expired meanwhile
	var entries []store.Entry
	for _, r := range reads {
		entries = append(entries, r.entries(now.Val())...)
	}
	return entries, nil
}

// entries returns the entries that were read for a key.
func (r *read) entries(now time.Time) []store.Entry {
	if r.value != nil {
		value, err := r.value.Bytes()
		if left := r.left.Val(); err == nil && left > 0 {
			return []store.Entry{{Key: r.key, Value: value, TTL: left}}
		}
		return nil
	}
	var entries []store.Entry
	for _, member := range r.set.Val() {
		name, _ := member.Member.(string)
		if left := time.UnixMilli(int64(member.Score)).Sub(now); left > 0 {
			entries = append(entries, store.Entry{Key: r.key, Member: name, TTL: left})
		}
	}
	return entries
}

// parseKey returns the scope and the name in a key. It reports false if the key is not
// one of heddle's.
func parseKey(key string) (store.Key, bool) {
	_, rest, ok := strings.Cut(key, "{")
	scope, name, cut := strings.Cut(rest, "}:")
	at := store.Key{Scope: store.Scope(scope), Name: name}
	return at, ok && cut && prefix(at.Scope)+name == key
}
