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

// place is the bucket and key of an entry.
type place struct {
	in  kind
	key []byte
}

// scan calls f with the entries from a place on, until f returns false. It returns the place
// of that entry, or nil if there are no more.
func (t *table) scan(from place, f func(in kind, key, entry []byte) bool) *place {
	for in := from.in; in < kinds; in++ {
		cursor := t.entries[in].Cursor()
		for key, entry := cursor.Seek(from.key); key != nil; key, entry = cursor.Next() {
			if !f(in, key, entry) {
				return &place{in, bytes.Clone(key)}
			}
		}
		from.key = nil
	}
	return nil
}

// Walk implements store.Engine.
func (d *DB) Walk(ctx context.Context, f func([]store.Entry) error) error {
	for from := new(place); from != nil; {
		var entries []store.Entry
		err := d.view(ctx, func(at *table) error {
			from = at.scan(*from, func(in kind, key, value []byte) bool {
				if len(entries) == walkSize {
					return false
				}
				if !at.over(value) {
					entries = append(entries, at.entry(in, key, value))
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
func (t *table) entry(in kind, key, value []byte) (entry store.Entry) {
	scope, rest := cutName(key)
	entry.Scope = store.Scope(scope)
	if in == inMembers {
		entry.Name, rest = cutName(rest)
		entry.Member = string(rest)
	} else {
		entry.Name, entry.Value = string(rest), bytes.Clone(value[endSize:])
	}
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
	var due []place
	from, looked := d.swept.Load(), 0
	if from == nil {
		from = new(place)
	}
	err := d.view(ctx, func(at *table) error {
		from = at.scan(*from, func(in kind, key, entry []byte) bool {
			if looked == sweepLooks || len(due) == sweepSize {
				return false
			}
			if looked++; at.over(entry) {
				due = append(due, place{in, bytes.Clone(key)})
			}
			return true
		})
		return nil
	})
	if err != nil {
		return 0, err
	}
	d.swept.Store(from)
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
		for _, entry := range due {
			if !at.over(at.entries[entry.in].Get(entry.key)) { // prolonged since it was found
				continue
			}
			if err := at.entries[entry.in].Delete(entry.key); err != nil {
				return fmt.Errorf("remove an entry: %w", err)
			}
		}
		return nil
	})
}
