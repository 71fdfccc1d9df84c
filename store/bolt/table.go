package bolt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
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

// kinds is how many kinds there are.
const kinds = 2

// table accesses the entries within a transaction, as of a point in time.
type table struct {
	now     time.Time
	entries [kinds]*bbolt.Bucket
	cursor  *bbolt.Cursor // of members, reused; each use sets its position first

	held   leases // as of the beginning
	taken  leases // those that have changed; one that was ended is the zero lease
	wrote  bool   // something has changed
	erased bool   // something was erased
	fault  error  // bbolt failed
}

func newTable(tx *bbolt.Tx, now time.Time, held leases) *table {
	t := &table{now: now, held: held, taken: make(leases)}
	for in, name := range buckets() {
		t.entries[in] = tx.Bucket(name)
	}
	t.cursor = t.entries[inMembers].Cursor()
	return t
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

func (t *table) over(entry []byte) bool {
	return len(entry) < endSize || int64(binary.BigEndian.Uint64(entry)) <= t.now.UnixMilli() //nolint:gosec // milliseconds fit
}

// value returns a value, or nil if there is none. The bytes are valid only during the
// transaction.
func (t *table) value(scope store.Scope, name string) []byte {
	key := valueKey(scope, name)
	if store.IsLease(name) {
		return t.lease(key)
	}
	entry := t.entries[inValues].Get(key)
	if t.over(entry) {
		return nil
	}
	return entry[endSize:]
}

func (t *table) values(scope store.Scope, names []string) [][]byte {
	values := make([][]byte, len(names))
	for i, name := range names {
		values[i] = bytes.Clone(t.value(scope, name))
	}
	return values
}

func (t *table) sets(scope store.Scope, limit int, sets []string) [][]string {
	members := make([][]string, len(sets))
	for i, set := range sets {
		members[i] = t.members(scope, set, limit)
	}
	return members
}

// members returns the members of a set, those first that expire last, or any limit of them
// if limit is not 0.
func (t *table) members(scope store.Scope, name string, limit int) (members []string) {
	type aged struct {
		end    uint64
		member string
	}
	var all []aged
	prefix := setKey(scope, name)
	for key, entry := t.cursor.Seek(prefix); bytes.HasPrefix(key, prefix) && (limit == 0 || len(all) < limit); key, entry = t.cursor.Next() {
		if !t.over(entry) {
			all = append(all, aged{binary.BigEndian.Uint64(entry), string(key[len(prefix):])})
		}
	}
	slices.SortStableFunc(all, func(a, b aged) int { return cmp.Compare(b.end, a.end) })
	for _, one := range all {
		members = append(members, one.member)
	}
	return members
}

// put writes an entry, unless it is stored already and expires no earlier. If keep is set,
// an entry keeps the expiry that it has.
func (t *table) put(in kind, key []byte, value string, ttl time.Duration, keep bool) error {
	end := t.end(ttl)
	old := t.entries[in].Get(key)
	switch {
	case keep && !t.over(old):
		end = binary.BigEndian.Uint64(old)
	case len(old) >= endSize:
		lasts := binary.BigEndian.Uint64(old)
		if lasts >= end && string(old[endSize:]) == value {
			return nil
		}
		end = max(end, lasts)
	}
	t.wrote = true
	entry := append(binary.BigEndian.AppendUint64(make([]byte, 0, endSize+len(value)), end), value...)
	return t.entries[in].Put(key, entry)
}

// end returns the expiry of an entry that lasts ttl from now. It rounds long times up
// by at most a sixteenth, so that entries in constant use are not rewritten each time.
func (t *table) end(ttl time.Duration) uint64 {
	end := t.now.Add(ttl).UnixMilli()
	if ttl >= time.Hour {
		slot := ttl.Milliseconds() / 16
		end = (end + slot - 1) / slot * slot
	}
	return uint64(max(end, 0))
}

// clear removes all members of a set, expired ones included.
func (t *table) clear(scope store.Scope, name string) error {
	prefix := setKey(scope, name)
	var keys [][]byte // collected first, because a cursor skips a key when the key under it is removed
	cursor := t.entries[inMembers].Cursor()
	for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	for _, key := range keys {
		if err := t.delete(inMembers, key); err != nil {
			return err
		}
	}
	return nil
}

// delete removes an entry, if there is one.
func (t *table) delete(in kind, key []byte) error {
	if t.entries[in].Get(key) == nil {
		return nil
	}
	t.wrote = true
	return t.entries[in].Delete(key)
}

// leases holds leases by valueKey. It is never changed once it was stored.
type leases map[string]lease

// lease is a value that is not written to disk.
type lease struct {
	value string
	until time.Time
}

// lease returns the value of a lease within a transaction, or nil if it is over.
func (t *table) lease(key []byte) []byte {
	l, changed := t.taken[string(key)]
	if !changed {
		l = t.held[string(key)]
	}
	if !t.now.Before(l.until) {
		return nil
	}
	return []byte(l.value)
}

// after returns leases as they are after the transaction, without those that are over. A
// lease that ended and that somebody else took meanwhile stays theirs.
func (t *table) after(all leases) *leases {
	all = maps.Clone(all)
	for key, l := range t.taken {
		if !l.until.IsZero() || all[key] == t.held[key] {
			all[key] = l
		}
	}
	maps.DeleteFunc(all, func(_ string, l lease) bool { return !t.now.Before(l.until) })
	return &all
}
