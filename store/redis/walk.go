package redis

import (
	"context"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"heddle/store"
)

// Walk implements store.Engine. It may return an entry more than once.
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
	now := pipe.Time(ctx)
	var reads []read
	for _, name := range keys {
		if key, ok := parseKey(name); ok {
			reads = append(reads, read{key, pipe.PTTL(ctx, name), pipe.Get(ctx, name), pipe.ZRangeWithScores(ctx, name, 0, -1)})
		}
	}
	if err := run(ctx, pipe, "WRONGTYPE"); err != nil { // of each key, one of the commands finds the wrong type
		return nil, err
	}
	var entries []store.Entry
	for _, r := range reads {
		value, err := r.value.Bytes()
		if left := r.left.Val(); err == nil && left > 0 {
			entries = append(entries, store.Entry{Key: r.key, Value: value, TTL: left})
		}
		for _, member := range r.set.Val() {
			name, _ := member.Member.(string)
			if left := time.UnixMilli(int64(member.Score)).Sub(now.Val()); left > 0 {
				entries = append(entries, store.Entry{Key: r.key, Member: name, TTL: left})
			}
		}
	}
	return entries, nil
}

// parseKey returns the scope and the name in a key. It reports false if the key is not one
// of heddle's.
func parseKey(key string) (at store.Key, ok bool) {
	_, rest, ok := strings.Cut(key, "{")
	scope, name, cut := strings.Cut(rest, "}:")
	at = store.Key{Scope: store.Scope(scope), Name: name}
	return at, ok && cut && key == prefix(at.Scope)+at.Name
}
