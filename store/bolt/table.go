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

// bucketName is the name of the bucket that holds all entries. The key of an entry is the
// length of its scope in one byte, the scope, the length of its name in one byte, the name and,
// of a set, the member. An entry is its expiry, in Unix milliseconds in eight bytes, followed
// by its value.
const bucketName = "entries"

// table accesses the entries within a transaction, as of a point in time.
type table struct {
	now     time.Time
	entries *bbolt.Bucket
	cursor  *bbolt.Cursor // reused; each use sets its position first

	held   leases // as of the beginning
	taken  leases // those that have changed; one that was ended is the zero lease
	wrote  bool   // something has changed
	erased bool   // something was erased
	fault  error  // bbolt failed
}

func newTable(tx *bbolt.Tx, now time.Time, held leases) *table {
	entries := tx.Bucket([]byte(bucketName))
	return &table{now: now, entries: entries, cursor: entries.Cursor(), held: held, taken: make(leases)}
}

// keyOf returns the key of a value, which has no member, or of a member of a set.
func keyOf(scope store.Scope, name, member string) []byte {
	b := make([]byte, 0, 2+len(scope)+len(name)+len(member))
	b = append(append(b, byte(len(scope))), scope...) //nolint:gosec // 64 at most
	b = append(append(b, byte(len(name))), name...)   //nolint:gosec // 200 at most
	return append(b, member...)
}

// endSize is the size in bytes of the expiry at the start of each entry.
const endSize = 8

func (t *table) over(entry []byte) bool {
	return len(entry) < endSize || int64(binary.BigEndian.Uint64(entry)) <= t.now.UnixMilli() //nolint:gosec // milliseconds fit
}

// value returns the value of an entry, or nil if there is none.
func (t *table) value(name string, key []byte) []byte {
	if store.IsLease(name) {
		return t.lease(key)
	}
	entry := t.entries.Get(key)
	if t.over(entry) {
		return nil
	}
	return bytes.Clone(entry[endSize:])
}

// members returns the members of a set, whose keys begin with prefix, those first that expire
// last.
func (t *table) members(prefix []byte) (members []string) {
	type aged struct {
		end    uint64
		member string
	}
	var all []aged
	for key, entry := t.cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, entry = t.cursor.Next() {
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
func (t *table) put(key []byte, value string, ttl time.Duration, keep bool) error {
	end := t.end(ttl)
	if old := t.entries.Get(key); len(old) >= endSize {
		switch lasts := binary.BigEndian.Uint64(old); {
		case keep && !t.over(old):
			end = lasts
		default:
			end = max(end, lasts)
		}
		if binary.BigEndian.Uint64(old) == end && string(old[endSize:]) == value {
			return nil
		}
	}
	t.wrote = true
	entry := append(binary.BigEndian.AppendUint64(make([]byte, 0, endSize+len(value)), end), value...)
	return t.entries.Put(key, entry)
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

// clear removes all entries whose keys begin with prefix, expired ones included.
func (t *table) clear(prefix []byte) error {
	var keys [][]byte // collected first, because a cursor skips a key when the key under it is removed
	for key, _ := t.cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = t.cursor.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	for _, key := range keys {
		if err := t.delete(key); err != nil {
			return err
		}
	}
	return nil
}

// delete removes an entry, if there is one.
func (t *table) delete(key []byte) error {
	if t.entries.Get(key) == nil {
		return nil
	}
	t.wrote = true
	return t.entries.Delete(key)
}

// leases holds leases by key. It is never changed once it was stored.
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
