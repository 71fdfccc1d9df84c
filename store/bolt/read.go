package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// Get implements store.Reader.
func (d *DB) Get(ctx context.Context, keys ...store.Key) ([][]byte, error) {
	values := make([][]byte, len(keys))
	err := d.view(ctx, func(at table) {
		for i, key := range keys {
			values[i] = bytes.Clone(at.value(key.Scope, key.Name))
		}
	})
	return values, err
}

// Follow implements store.Reader.
func (d *DB) Follow(ctx context.Context, scope store.Scope, queries ...store.Query) ([][]store.Member, error) {
	found := make([][]store.Member, len(queries))
	err := d.view(ctx, func(at table) {
		for i, query := range queries {
			found[i] = nil // from a failed attempt
			at.members(scope, query.Set, func(name []byte) bool {
				member := store.Member{Name: string(name)}
				if !query.Names && strings.HasPrefix(member.Name, store.RecordPrefix) {
					member.Value = bytes.Clone(at.value(scope, member.Name))
					if link := store.Link(member.Value); link != "" {
						member.Linked = bytes.Clone(at.value(scope, link))
					}
				}
				found[i] = append(found[i], member)
				return query.Limit == 0 || len(found[i]) < query.Limit
			})
			if query.Last && len(found[i]) > 0 {
				return
			}
		}
	})
	return found, err
}

func (d *DB) view(ctx context.Context, read func(table)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	db, err := d.tryView(read)
	if errors.Is(err, errFault) {
		if err = d.replaceInTurn(ctx, db, err); err == nil {
			_, err = d.tryView(read)
		}
	}
	return failure(err)
}

// tryView runs read in a read transaction and returns the database it ran in.
func (d *DB) tryView(read func(table)) (*bbolt.DB, error) {
	d.readers.RLock()
	defer d.readers.RUnlock()
	db := d.opened.db
	return db, guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			read(newTable(tx, d.now()))
			return nil
		})
	})
}

// sweepSize is the greatest number of entries that one Sweep removes. That takes a few
// milliseconds.
const sweepSize = 1000

// Sweep implements store.Engine. It also overwrites erased data.
func (d *DB) Sweep(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	d.leases.forget(d.now())
	removed, err := d.sweep(ctx)
	if err == nil {
		err = guard(func() error { return d.scrub(ctx) })
	}
	return removed, failure(err)
}

func (d *DB) sweep(ctx context.Context) (int, error) {
	due, err := d.due(ctx)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	select {
	case d.queue.turn <- struct{}{}:
		defer func() { <-d.queue.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return len(due), d.update(func(tx *bbolt.Tx) error {
		at := newTable(tx, d.now())
		for _, key := range due {
			if err := at.sweep(key); err != nil {
				return fmt.Errorf("remove an entry: %w", err)
			}
		}
		return nil
	})
}

// due returns the keys of ends that have passed. They are collected before anything is
// removed, because a cursor skips keys when one is removed under it.
func (d *DB) due(ctx context.Context) ([][]byte, error) {
	var due [][]byte
	err := d.view(ctx, func(at table) {
		due = nil
		cursor := at.ends.Cursor()
		for key, _ := cursor.First(); key != nil && at.over(key) && len(due) < sweepSize; key, _ = cursor.Next() {
			due = append(due, slices.Clone(key))
		}
	})
	return due, err
}

// sweep removes an end and its entry, unless the entry was prolonged since.
func (t table) sweep(end []byte) error {
	if err := t.ends.Delete(end); err != nil {
		return err
	}
	in, key := kind(end[endSize]), end[endSize+1:]
	if int(in) >= len(t.entries) {
		return nil
	}
	entry := t.entries[in].Get(key)
	if len(entry) < endSize || binary.BigEndian.Uint64(entry) != binary.BigEndian.Uint64(end) {
		return nil
	}
	return t.entries[in].Delete(key)
}
