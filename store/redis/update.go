package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"heddle/internal/wait"
	"heddle/store"
)

// Update implements store.Engine.
func (d *DB) Update(ctx context.Context, changes ...store.Change) error {
	for _, change := range changes {
		if err := d.update(ctx, change); err != nil {
			return err
		}
	}
	return nil
}

// mostTries bounds the attempts at a change whose reads others keep overwriting.
const mostTries = 100

// update makes one change. It is tried again if another process has changed meanwhile
// what the change has read.
func (d *DB) update(ctx context.Context, change store.Change) error {
	for try := 1; ; try++ {
		var refused error // by the change itself
		err := d.call(ctx, func(ctx context.Context) (err error) {
			refused, err = d.attempt(ctx, change)
			return err
		})
		if !errors.Is(err, goredis.TxFailedErr) || try == mostTries {
			return errors.Join(err, refused)
		}
		const most = 8 * time.Millisecond
		if err := wait.For(ctx, rand.N(most)); err != nil { //nolint:gosec // it spreads load
			return fmt.Errorf("ask Redis: %w", err)
		}
	}
}

// attempt tries once to make a change. It returns the error of the change itself apart
// from that of Redis.
func (d *DB) attempt(ctx context.Context, change store.Change) (refused, failed error) {
	failed = d.client.Watch(ctx, func(tx *goredis.Tx) error {
		read := &reader{ctx: ctx, client: tx, prefix: prefix(change.Scope), watches: true}
		var writes []store.Write
		writes, refused = change.Make(read)
		switch {
		case read.err != nil:
			return read.err
		case refused != nil || len(writes) == 0:
			return nil //nolint:nilerr // refused is returned beside it
		default:
			return commit(ctx, tx, read.prefix, writes)
		}
	}, prefix(change.Scope)) // no entry has this key; in a Cluster it leads to the node
	return refused, failed
}

// commit makes the writes of a transaction, unless what it has read was changed.
func commit(ctx context.Context, tx *goredis.Tx, prefix string, writes []store.Write) error {
	ends, err := endsOf(ctx, tx, prefix, writes)
	if err != nil {
		return err
	}
	commands, err := tx.TxPipelined(ctx, func(pipe goredis.Pipeliner) error {
		for i := range writes {
			w, key := &writes[i], prefix+writes[i].Name
			switch w.Kind {
			case store.WritePut, store.WriteKeep:
				pipe.Set(ctx, key, w.Value, ends.left(w))
			case store.WriteAdd:
				pipe.ZAdd(ctx, key, goredis.Z{Score: float64(ends.now.Add(w.TTL).UnixMilli()), Member: w.Member})
				pipe.ZRemRangeByScore(ctx, key, "-inf", strconv.FormatInt(ends.now.UnixMilli(), 10))
				pipe.PExpire(ctx, key, ends.left(w))
			case store.WriteRemove:
				pipe.ZRem(ctx, key, w.Member)
			case store.WriteDelete:
				pipe.Del(ctx, key)
				delete(ends.keys, w.Name)
			}
		}
		return nil
	})
	switch {
	case goredis.IsExecAbortError(err): // a command has said why
		for _, command := range commands {
			if why := command.Err(); !goredis.IsExecAbortError(why) {
				return why
			}
		}
	case err != nil && !errors.Is(err, goredis.TxFailedErr):
		// If MULTI itself was refused, go-redis leaves the other replies unread, which the
		// next user of the connection would take for its own.
		_ = tx.Do(ctx, "quit").Err()
	}
	return err
}

// ends holds when the keys expire that a transaction writes to. Redis would shorten their
// lives, if the lifetimes in the settings have become shorter.
type ends struct {
	now  time.Time
	keys map[string]time.Duration // until they expire
}

// left returns how long the key of a write is to live on.
func (e *ends) left(w *store.Write) time.Duration {
	if w.Kind == store.WriteKeep && e.keys[w.Name] > 0 {
		return e.keys[w.Name]
	}
	e.keys[w.Name] = max(e.keys[w.Name], w.TTL, time.Millisecond)
	return e.keys[w.Name]
}

// endsOf reads when the keys expire that writes are about.
func endsOf(ctx context.Context, tx *goredis.Tx, prefix string, writes []store.Write) (*ends, error) {
	e := &ends{keys: make(map[string]time.Duration)}
	lives := make(map[string]*goredis.DurationCmd)
	pipe := tx.Pipeline()
	now := pipe.Time(ctx)
	for i := range writes {
		if w := &writes[i]; w.TTL > 0 && lives[w.Name] == nil {
			lives[w.Name] = pipe.PTTL(ctx, prefix+w.Name)
		}
	}
	if err := run(ctx, pipe); err != nil {
		return nil, err
	}
	e.now = now.Val()
	for name, left := range lives {
		e.keys[name] = left.Val()
	}
	return e, nil
}
