package bolt

import (
	"bytes"
	"context"

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
			found[i] = nil // drop what a failed attempt found
			at.members(scope, query.Set, func(name []byte) bool {
				found[i] = append(found[i], at.member(scope, string(name), query))
				return query.Limit == 0 || len(found[i]) < query.Limit
			})
			if query.Last && len(found[i]) > 0 {
				return
			}
		}
	})
	return found, err
}

// member returns a member of a set. Unless the query is for names only, it includes the
// member's record and the entry that the record links to.
func (t table) member(scope store.Scope, name string, query store.Query) store.Member {
	member := store.Member{Name: name}
	if query.Names || !store.IsRecord(name) {
		return member
	}
	member.Value = bytes.Clone(t.value(scope, name))
	if link := store.Link(member.Value); link != "" {
		member.Linked = bytes.Clone(t.value(scope, link))
	}
	return member
}

// view calls read with what is stored. If the file proves damaged, it calls read again
// with what the new file holds.
func (d *DB) view(ctx context.Context, read func(table)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return failure(d.database.view(ctx, func(tx *bbolt.Tx) { read(newTable(tx, d.now())) }))
}
