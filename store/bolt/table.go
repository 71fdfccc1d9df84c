package bolt

import (
	"bytes"
	"encoding/binary"
	"time"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// kind is the bucket that an entry is in.
type kind byte

const (
	inValues kind = iota
	inMembers
)

// table accesses the entries within a transaction, as of a point in time.
type table struct {
	now     time.Time
	entries [2]*bbolt.Bucket // by kind
	cursors [2]*bbolt.Cursor // reused cursors; each use sets their position first
}

func newTable(tx *bbolt.Tx, now time.Time) table {
	names := buckets()
	values, members := tx.Bucket(names[0]), tx.Bucket(names[1])
	return table{
		now:     now,
		entries: [2]*bbolt.Bucket{values, members},
		cursors: [2]*bbolt.Cursor{values.Cursor(), members.Cursor()},
	}
}

// size returns the length of a scope or name, which is at most 200 bytes.
func size[T ~string](s T) byte { return byte(len(s)) } //nolint:gosec // it fits

func valueKey(scope store.Scope, name string) []byte {
	b := append(make([]byte, 0, 1+len(scope)+len(name)), size(scope))
	return append(append(b, scope...), name...)
}

func setKey(scope store.Scope, name string) []byte {
	const member = 40 // bytes, roughly
	b := append(make([]byte, 0, 2+len(scope)+len(name)+member), size(scope))
	b = append(append(b, scope...), size(name))
	return append(b, name...)
}

func memberKey(scope store.Scope, name, member string) []byte {
	return append(setKey(scope, name), member...)
}

// endSize is the size in bytes of the expiry at the start of each entry.
const endSize = 8

func (t table) over(entry []byte) bool {
	return len(entry) < endSize || int64(binary.BigEndian.Uint64(entry)) <= t.now.UnixMilli() //nolint:gosec // milliseconds fit
}

// value returns a value, or nil if there is none. The bytes are valid only during the
// transaction.
func (t table) value(scope store.Scope, name string) []byte {
	key := valueKey(scope, name)
	found, entry := t.cursors[inValues].Seek(key)
	if !bytes.Equal(found, key) || t.over(entry) {
		return nil
	}
	return entry[endSize:]
}

// members calls yield for each member of a set until yield returns false. yield must
// not read another set.
func (t table) members(scope store.Scope, name string, yield func(member []byte) bool) {
	prefix := setKey(scope, name)
	cursor := t.cursors[inMembers]
	for key, entry := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, entry = cursor.Next() {
		if !t.over(entry) && !yield(key[len(prefix):]) {
			return
		}
	}
}

func (t table) empty(scope store.Scope, name string) bool {
	empty := true
	t.members(scope, name, func([]byte) bool {
		empty = false
		return false
	})
	return empty
}

// put writes an entry, unless it is stored already and expires no earlier.
func (t table) put(in kind, key []byte, value string, ttl time.Duration) error {
	end := t.end(ttl)
	if old := t.entries[in].Get(key); len(old) >= endSize {
		lasts := binary.BigEndian.Uint64(old)
		if lasts >= end && string(old[endSize:]) == value {
			return nil
		}
		end = max(end, lasts)
	}
	entry := append(binary.BigEndian.AppendUint64(make([]byte, 0, endSize+len(value)), end), value...)
	return t.entries[in].Put(key, entry)
}

// end returns the expiry of an entry that lasts ttl from now. It rounds long times up
// by at most a sixteenth, so that entries in constant use are not rewritten each time.
func (t table) end(ttl time.Duration) uint64 {
	end := t.now.Add(ttl).UnixMilli()
	if ttl >= time.Hour {
		slot := ttl.Milliseconds() / 16
		end = (end + slot - 1) / slot * slot
	}
	return uint64(max(end, 0))
}

// clear removes all members of a set, expired ones included.
func (t table) clear(scope store.Scope, name string) error {
	prefix := setKey(scope, name)
	var keys [][]byte // collected first, because a cursor skips a key when the key under it is removed
	cursor := t.entries[inMembers].Cursor()
	for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	for _, key := range keys {
		if err := t.entries[inMembers].Delete(key); err != nil {
			return err
		}
	}
	return nil
}
