package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"heddle/store"
)

const (
	walkSize = 1000 // how many entries Walk reads in one transaction

	// The bounds of one Sweep. Each takes a few milliseconds.
	sweepLooks = 20_000 // entries that it looks at
	sweepSize  = 1000   // entries that it removes
)

// scan calls f with the entries from a key on, until f returns false. It returns the key of that
// entry, or nil if there are no more.
func (t *table) scan(from []byte, f func(key, entry []byte) bool) []byte {
	for key, entry := t.cursor.Seek(from); key != nil; key, entry = t.cursor.Next() {
		if !f(key, entry) {
			return bytes.Clone(key)
		}
	}
	return nil
}

// Walk implements store.Engine.
func (d *DB) Walk(ctx context.Context, f func([]store.Entry) error) error {
	for from := []byte{}; from != nil; {
		var entries []store.Entry
		err := d.view(ctx, func(at *table) error {
			from = at.scan(from, func(key, value []byte) bool {
				if len(entries) == walkSize {
					return false
				}
				if !at.over(value) {
					entries = append(entries, at.entry(key, value))
				}
				return true
			})
			return nil
		})
		if err == nil {
			err = f(entries)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entry returns an entry with what is in its key.
func (t *table) entry(key, value []byte) (entry store.Entry) {
	scope, rest := cutName(key)
	name, member := cutName(rest)
	entry.Scope, entry.Name, entry.Member, entry.Value = store.Scope(scope), name, string(member), bytes.Clone(value[endSize:])
	end := time.UnixMilli(int64(binary.BigEndian.Uint64(value))) //nolint:gosec // as it was written
	entry.TTL = end.Sub(t.now)
	return entry
}

// cutName returns the name at the start of b, which follows its length, and the rest.
// Of a damaged key it returns as much as there is.
func cutName(key []byte) (string, []byte) {
	if len(key) == 0 {
		return "", nil
	}
	end := min(1+int(key[0]), len(key))
	return string(key[1:end]), key[end:]
}

// Sweep implements store.Engine. It looks at some entries, beginning where the last
// Sweep stopped, removes those that have expired, and overwrites erased data. There is
// no index of entries by expiry, because it would take up a third of the file.
func (d *DB) Sweep(ctx context.Context) (int, error) {
	removed, err := d.sweep(ctx)
	if err == nil {
		err = d.scrub(ctx)
	}
	return removed, failure(err)
}

// sweep removes expired entries, and returns how many were due. They are collected before
// any is removed, because a cursor skips a key when the key under it is removed.
func (d *DB) sweep(ctx context.Context) (int, error) {
	var due [][]byte
	var from []byte
	looked := 0
	err := d.view(ctx, func(at *table) error {
		from = at.scan(*d.swept.Load(), func(key, entry []byte) bool {
			if looked == sweepLooks || len(due) == sweepSize {
				return false
			}
			if looked++; at.over(entry) {
				due = append(due, bytes.Clone(key))
			}
			return true
		})
		return nil
	})
	if err != nil {
		return 0, err
	}
	d.swept.Store(&from)
	release, err := d.turn.wait(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	if len(due) == 0 {
		return 0, nil
	}
	return len(due), d.update(func(tx *bbolt.Tx) error {
		at := newTable(tx, d.now(), nil)
		for _, key := range due {
			if !at.over(at.entries.Get(key)) { // prolonged since it was found
				continue
			}
			if err := at.entries.Delete(key); err != nil {
				return fmt.Errorf("remove an entry: %w", err)
			}
		}
		return nil
	})
}
