// Package redis is the engine of a store that several processes share. It runs on one
// Redis or Valkey server, on Sentinel or on a Cluster. The scope is the hash tag of a
// key, so all keys of a scope are in one slot, and a transaction in a scope is one of
// Redis: what it reads is watched, and its writes are made only if that is unchanged.
package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/sony/gobreaker/v2"

	"heddle/store"
)

// DB is a store.Engine in Redis.
type DB struct {
	client    goredis.UniversalClient
	clustered bool // the address is that of a Cluster
	secured   bool // the address wants TLS
	timeout   time.Duration
	breaker   *gobreaker.CircuitBreaker[any]
}

// Options are the settings of a DB.
type Options struct {
	// URL begins with redis://, rediss:// (TLS) or unix://. For a Cluster or Sentinel
	// it begins with redis+cluster://, rediss+cluster://, redis+sentinel:// or
	// rediss+sentinel://. Further nodes are given as ?addr=host:port, and Sentinel's
	// master as ?master_name=name.
	URL string
	// Timeout bounds every call; 0: what URL says as ?read_timeout=2s, or else 1s.
	Timeout time.Duration
	// Pause is how long calls fail without being tried after three calls in a row got
	// no answer; 0: 1s.
	Pause time.Duration
}

// Open returns a DB. It does not connect. Calls fail while Redis is down, and work
// again when it is back. The error for an address that cannot be parsed does not
// contain the password.
func Open(options Options) (*DB, error) {
	if options.Pause <= 0 {
		options.Pause = time.Second
	}
	settings, err := parse(options.URL)
	if err != nil {
		return nil, err
	}
	if options.Timeout <= 0 {
		options.Timeout = cmp.Or(settings.ReadTimeout, time.Second)
	}
	quiet()
	hasten(settings, options)
	return &DB{
		client:    goredis.NewUniversalClient(settings),
		clustered: settings.IsClusterMode,
		secured:   settings.TLSConfig != nil,
		timeout:   options.Timeout,
		breaker:   gobreaker.NewCircuitBreaker[any](breakerSettings(options.Pause)),
	}, nil
}

// Close closes the connections.
func (d *DB) Close() error {
	if err := d.client.Close(); err != nil {
		return fmt.Errorf("close the connections to Redis: %w", err)
	}
	return nil
}

// Sweep implements store.Engine. Redis removes expired entries by itself.
func (d *DB) Sweep(context.Context) (int, error) { return 0, nil }

// prefix returns the prefix of all keys of a scope.
func prefix(scope store.Scope) string {
	if scope == store.ScopeMeta {
		return "heddle:{" + string(scope) + "}:"
	}
	return "heddle:" + strconv.Itoa(store.Schema) + ":{" + string(scope) + "}:"
}

// Read implements store.Engine.
func (d *DB) Read(ctx context.Context, scope store.Scope, read func(store.Reader) error) error {
	return d.call(ctx, func(ctx context.Context) error {
		return read(&reader{ctx: ctx, client: d.client, prefix: prefix(scope)})
	})
}

// reader is a store.Reader of one scope.
type reader struct {
	ctx     context.Context //nolint:containedctx // that of the call
	client  interface{ Pipeline() goredis.Pipeliner }
	prefix  string
	watches bool // what is read is watched
	err     error
}

// pipeline begins to read, which takes one round trip.
func (r *reader) pipeline(names []string) goredis.Pipeliner { //nolint:ireturn // go-redis has no other type for it
	pipe := r.client.Pipeline()
	if r.watches {
		args := []any{"watch"}
		for _, name := range names {
			args = append(args, r.prefix+name)
		}
		pipe.Do(r.ctx, args...)
	}
	return pipe
}

// Get implements store.Reader.
func (r *reader) Get(names ...string) ([][]byte, error) {
	values := make([][]byte, len(names))
	if len(names) == 0 || r.err != nil {
		return values, r.err
	}
	pipe := r.pipeline(names)
	commands := make([]*goredis.StringCmd, len(names))
	for i, name := range names {
		commands[i] = pipe.Get(r.ctx, r.prefix+name)
	}
	if r.err = run(r.ctx, pipe); r.err != nil {
		return values, r.err
	}
	for i, command := range commands {
		if value, err := command.Bytes(); err == nil {
			values[i] = value
		}
	}
	return values, nil
}

// run sends a pipeline. It returns the first error that neither means that a value is absent nor
// begins with one of the expected prefixes. If a connection is refused, the error comes from Exec
// alone, and the commands have none (go-redis#2871); a Sentinel that knows no such master even
// answers as if a value were absent.
func run(ctx context.Context, pipe goredis.Pipeliner, expected ...string) error {
	commands, failed := pipe.Exec(ctx)
	usual := func(err error) bool {
		return errors.Is(err, goredis.Nil) ||
			slices.ContainsFunc(expected, func(prefix string) bool { return goredis.HasErrorPrefix(err, prefix) })
	}
	explained := false
	for _, command := range commands {
		switch err := command.Err(); {
		case err != nil && !usual(err):
			return err
		case err != nil:
			explained = true
		}
	}
	if explained && usual(failed) {
		return nil
	}
	return failed
}

// Members implements store.Reader. The scores of members are the times at which they
// expire, in Unix milliseconds by the server's clock. The clocks of the processes may
// differ. Those come first that expire last.
func (r *reader) Members(names ...string) ([][]string, error) {
	members := make([][]string, len(names))
	if len(names) == 0 || r.err != nil {
		return members, r.err
	}
	pipe := r.pipeline(names)
	now := pipe.Time(r.ctx)
	commands := make([]*goredis.ZSliceCmd, len(names))
	for i, name := range names {
		commands[i] = pipe.ZRevRangeWithScores(r.ctx, r.prefix+name, 0, -1)
	}
	if r.err = run(r.ctx, pipe); r.err != nil {
		return members, r.err
	}
	for i, command := range commands {
		for _, one := range command.Val() {
			if name, _ := one.Member.(string); int64(one.Score) > now.Val().UnixMilli() {
				members[i] = append(members[i], name)
			}
		}
	}
	return members, nil
}
