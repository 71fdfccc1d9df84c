package bolt

import (
	"bytes"
	"context"
	"fmt"

	"go.etcd.io/bbolt"
)

// The bounds of one Sweep. Each takes a few milliseconds.
const (
	sweepLooks = 20_000 // entries that it looks at
	sweepSize  = 1000   // entries that it removes
)

// place is the bucket and key of an entry.
type place struct {
	in  kind
	key []byte
}

// Sweep implements store.Engine. It looks at some entries, beginning where the last
// Sweep stopped, removes those that have expired, and overwrites erased data. There is
// no index of entries by expiry, because it would take up a third of the file.
func (d *DB) Sweep(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	d.leases.forget(d.now())
	removed, err := d.sweep(ctx)
	if err == nil {
		err = guard(func() error { return d.database.scrub(ctx) })
	}
	return removed, failure(err)
}

// sweep removes expired entries, and returns how many were due.
func (d *DB) sweep(ctx context.Context) (int, error) {
	due, err := d.due(ctx)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	release, err := d.database.turn.wait(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	return len(due), d.database.update(func(tx *bbolt.Tx) error {
		at := newTable(tx, d.now())
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

// due returns expired entries. They are collected before any is removed, because a
// cursor skips a key when the key under it is removed.
func (d *DB) due(ctx context.Context) ([]place, error) {
	var due []place
	var next *place
	from := d.swept.Load()
	err := d.view(ctx, func(at table) { due, next = at.due(from) })
	if err == nil {
		d.swept.Store(next)
	}
	return due, err
}

// due returns expired entries, beginning at from. next is where to go on, or nil to go
// on at the first entry.
func (t table) due(from *place) (due []place, next *place) {
	if from == nil {
		from = &place{}
	}
	looked := 0
	for in := from.in; int(in) < len(t.entries); in++ {
		cursor := t.entries[in].Cursor()
		for key, entry := cursor.Seek(from.key); key != nil; key, entry = cursor.Next() {
			if looked == sweepLooks || len(due) == sweepSize {
				return due, &place{in, bytes.Clone(key)}
			}
			if looked++; t.over(entry) {
				due = append(due, place{in, bytes.Clone(key)})
			}
		}
		from = &place{}
	}
	return due, nil
}
