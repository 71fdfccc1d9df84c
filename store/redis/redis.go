// Package redis is the engine of a store that several processes share. It runs on one
// Redis or Valkey server, on Sentinel or on a Cluster. Every call is one round trip.
// The scope is the hash tag of a key, so all keys of a scope are in one slot.
package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/sony/gobreaker/v2"

	"heddle/store"
)

//go:embed apply.lua
var applySource string

//go:embed follow.lua
var followSource string

// DB is a store.Engine in Redis.
type DB struct {
	client    goredis.UniversalClient
	clustered bool // the address is that of a Cluster
	timeout   time.Duration
	breaker   *gobreaker.CircuitBreaker[any]

	apply, follow *goredis.Script
}

// Options are the settings of a DB.
type Options struct {
	// URL begins with redis://, rediss:// (TLS) or unix://. For a Cluster or Sentinel
	// it begins with redis+cluster://, rediss+cluster://, redis+sentinel:// or
	// rediss+sentinel://. Further nodes are given as ?addr=host:port, and Sentinel's
	// master as ?master_name=name.
	URL string
	// Timeout bounds every call; 0: 1s.
	Timeout time.Duration
	// Pause is how long calls fail without being tried after three calls in a row got
	// no answer; 0: 1s.
	Pause time.Duration
}

// Open returns a DB. It does not connect. Calls fail while Redis is down, and work
// again when it is back. The error for an address that cannot be parsed does not
// contain the password.
func Open(options Options) (*DB, error) {
	if options.Timeout <= 0 {
		options.Timeout = time.Second
	}
	if options.Pause <= 0 {
		options.Pause = time.Second
	}
	settings, err := parse(options.URL)
	if err != nil {
		return nil, err
	}
	quiet()
	hasten(settings, options)
	return &DB{
		client:    goredis.NewUniversalClient(settings),
		clustered: settings.IsClusterMode,
		timeout:   options.Timeout,
		breaker:   gobreaker.NewCircuitBreaker[any](breakerSettings(options.Pause)),
		apply:     goredis.NewScript(applySource),
		follow:    goredis.NewScript(followSource),
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

// Get implements store.Reader.
func (d *DB) Get(ctx context.Context, keys ...store.Key) ([][]byte, error) {
	values := make([][]byte, len(keys))
	if len(keys) == 0 {
		return values, nil
	}
	err := d.call(ctx, func(ctx context.Context) error {
		if oneScope(keys) {
			return d.getOne(ctx, keys, values)
		}
		return d.getMany(ctx, keys, values)
	})
	return values, err
}

func oneScope(keys []store.Key) bool {
	for _, key := range keys {
		if key.Scope != keys[0].Scope {
			return false
		}
	}
	return true
}

func (d *DB) getOne(ctx context.Context, keys []store.Key, values [][]byte) error {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = prefix(key.Scope) + key.Name
	}
	found, err := d.client.MGet(ctx, names...).Result()
	if err != nil {
		return err
	}
	for i, value := range found {
		values[i] = content(value)
	}
	return nil
}

// getMany sets values to those of keys, in one round trip. What is absent stays nil.
func (d *DB) getMany(ctx context.Context, keys []store.Key, values [][]byte) error {
	pipe := d.client.Pipeline()
	commands := make([]*goredis.StringCmd, len(keys))
	for i, key := range keys {
		commands[i] = pipe.Get(ctx, prefix(key.Scope)+key.Name)
	}
	_, _ = pipe.Exec(ctx) // it returns the first error of a command, which may mean that a value is absent
	for i, command := range commands {
		value, err := command.Bytes()
		switch {
		case err == nil:
			values[i] = value
		case !errors.Is(err, goredis.Nil):
			return err
		}
	}
	return nil
}

// Follow implements store.Reader.
func (d *DB) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	found := make([][]store.Member, len(queries))
	keys := make([]string, len(queries))
	args := []any{prefix(scope), store.RecordPrefix}
	for i, query := range queries {
		keys[i] = prefix(scope) + query.Set
		limit := query.Limit
		if limit == 0 {
			limit = -1
		}
		args = append(args, limit, query.Names, query.Last)
	}
	err := d.call(ctx, func(ctx context.Context) error {
		lists, err := d.follow.Run(ctx, d.client, keys, args...).Slice()
		if err != nil {
			return err
		}
		for i, list := range lists {
			const fields = 3 // for each member
			flat, _ := list.([]any)
			for ; len(flat) >= fields; flat = flat[fields:] {
				name, _ := flat[0].(string)
				found[i] = append(found[i], store.Member{Name: name, Value: content(flat[1]), Linked: content(flat[2])})
			}
		}
		return nil
	})
	return found, err
}

// content returns the bytes of a value, or nil if there is none.
func content(value any) []byte {
	if text, ok := value.(string); ok {
		return []byte(text)
	}
	return nil
}

// Apply implements store.Engine.
func (d *DB) Apply(ctx context.Context, changes ...store.Change) ([]int, error) {
	failed := make([]int, len(changes))
	err := d.call(ctx, func(ctx context.Context) error {
		commands := make([]*goredis.Cmd, len(changes))
		if len(changes) == 1 {
			keys, args := encode(changes[0])
			commands[0] = d.apply.Run(ctx, d.client, keys, args...)
		} else {
			d.applyMany(ctx, changes, commands)
		}
		for i, command := range commands {
			step, err := command.Int()
			if err != nil {
				return err
			}
			failed[i] = step - 1 // 0 becomes Applied; steps are counted from 1
		}
		return nil
	})
	return failed, err
}

// applyMany sends all changes in one pipeline. Changes whose server did not know the
// script are sent again with the whole script.
func (d *DB) applyMany(ctx context.Context, changes []store.Change, commands []*goredis.Cmd) {
	pipe := d.client.Pipeline()
	for i, change := range changes {
		keys, args := encode(change)
		commands[i] = d.apply.EvalSha(ctx, pipe, keys, args...)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	pipe = d.client.Pipeline()
	for i, change := range changes {
		if goredis.HasErrorPrefix(commands[i].Err(), "NOSCRIPT") {
			keys, args := encode(change)
			commands[i] = d.apply.Eval(ctx, pipe, keys, args...)
		}
	}
	if pipe.Len() > 0 {
		_, _ = pipe.Exec(ctx) // as above
	}
}

// encode returns a change as the keys and the arguments of the script that applies it.
func encode(change store.Change) (keys []string, args []any) {
	// Entries that are saved together expire together, but not at the same time as
	// everything else that was saved then.
	jitter := 1 + rand.Float64()/8 //nolint:gosec // it spreads load
	keys = make([]string, len(change.Ops))
	args = make([]any, 0, 4*len(change.Ops))
	for i, op := range change.Ops {
		keys[i] = prefix(change.Scope) + op.Name
		ttl := op.TTL
		if op.Kind != store.OpHold {
			ttl = time.Duration(float64(ttl) * jitter)
		}
		args = append(args, kindName(op.Kind), op.Value, max(ttl.Milliseconds(), 1), int64(op.Skip)+op.Most)
	}
	return keys, args
}

// kindName returns the name of a kind of op in the script.
func kindName(kind store.OpKind) string {
	return [...]string{
		store.OpAbsent: "absent", store.OpPresent: "present", store.OpSame: "held", store.OpBelow: "below", store.OpHeld: "held",
		store.OpHold: "hold", store.OpFree: "free", store.OpPut: "put", store.OpRaise: "raise",
		store.OpAdd: "add", store.OpRemove: "remove", store.OpDelete: "delete", store.OpCount: "count",
		store.OpWindow: "window",
	}[kind]
}
