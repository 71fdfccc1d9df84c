package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	"heddle/store"
)

// walkSize is how many entries Walk reads in one transaction.
const walkSize = 1000

// Walk implements store.Walker.
func (d *DB) Walk(ctx context.Context, f func([]store.Entry) error) error {
	for from := (place{}); from.in <= inMembers; {
		var entries []store.Entry
		var next place
		if err := d.view(ctx, func(at table) { entries, next = at.walk(from) }); err != nil {
			return err
		}
		if err := f(entries); err != nil {
			return err
		}
		from = next
	}
	return nil
}

// walk returns some entries, beginning at from, and the place at which to go on.
func (t table) walk(from place) (entries []store.Entry, next place) {
	cursor := t.entries[from.in].Cursor()
	for key, value := cursor.Seek(from.key); key != nil; key, value = cursor.Next() {
		if len(entries) == walkSize {
			return entries, place{from.in, bytes.Clone(key)}
		}
		if t.over(value) {
			continue
		}
		entry := store.Entry{Key: store.Key{}, TTL: t.left(value)}
		rest := key
		if entry.Scope, rest = cutScope(rest); from.in == inMembers {
			entry.Name, rest = cutName(rest)
			entry.Member = string(rest)
		} else {
			entry.Name, entry.Value = string(rest), bytes.Clone(value[endSize:])
		}
		entries = append(entries, entry)
	}
	return entries, place{in: from.in + 1}
}

// left returns how long it is until an entry expires.
func (t table) left(entry []byte) time.Duration {
	end := time.UnixMilli(int64(binary.BigEndian.Uint64(entry))) //nolint:gosec // as it was written
	return end.Sub(t.now)
}

// cutScope returns the scope that begins a key, and the rest.
func cutScope(key []byte) (store.Scope, []byte) {
	scope, rest := cutName(key)
	return store.Scope(scope), rest
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
