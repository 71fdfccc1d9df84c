// Package backup copies whole stores of any engine into files and back. Encrypted
// entries are copied as they are. A backup contains the keys of scopes only encrypted
// under the master key.
package backup

import (
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"

	"heddle/store"
)

// A backup is a gzip file, whose checksum reveals damage. It contains a header and then
// entries, encoded with gob. The last entry is empty and marks the end.

// format is the version of the format of backups.
const format = 1

type header struct {
	Format int
	Made   time.Time
}

// entry is the form of a store.Entry in a backup.
type entry struct {
	Scope  store.Scope
	Name   string
	Member string
	Value  []byte
	Ends   time.Time
}

// Write writes a backup of a store, which may be in use, and returns the number of
// entries. Entries that are stored during the backup may be missing. An answer in the
// backup is always complete, because it is read before the turns, nodes and indexes
// that were stored with it.
func Write(ctx context.Context, w io.Writer, from store.Walker) (entries int, err error) {
	packed := gzip.NewWriter(w)
	out := gob.NewEncoder(packed)
	now := time.Now()
	if err := out.Encode(header{format, now}); err != nil {
		return 0, fmt.Errorf("write a backup: %w", err)
	}
	for _, records := range []bool{true, false} {
		err := from.Walk(ctx, func(some []store.Entry) error {
			for _, e := range some {
				if store.IsLease(e.Key) || (e.Member == "" && store.IsRecord(e.Name)) != records {
					continue
				}
				entries++
				if err := out.Encode(entry{Scope: e.Scope, Name: e.Name, Member: e.Member, Value: e.Value, Ends: time.Now().Add(e.TTL)}); err != nil {
					return fmt.Errorf("write a backup: %w", err)
				}
			}
			return nil
		})
		if err != nil {
			return entries, err
		}
	}
	if err := out.Encode(entry{}); err != nil {
		return entries, fmt.Errorf("write a backup: %w", err)
	}
	if err := packed.Close(); err != nil {
		return entries, fmt.Errorf("write a backup: %w", err)
	}
	return entries, nil
}

var (
	// ErrDamaged means that a file is not a backup, or is truncated or damaged.
	ErrDamaged = errors.New("the backup is damaged, or the file is not a backup")
	// ErrFormat means that a backup was written by a newer heddle.
	ErrFormat = errors.New("the backup was written by a newer version of heddle")
	// ErrNotEmpty means that the store into which a backup is to be restored is not
	// empty.
	ErrNotEmpty = errors.New("the store is not empty")
)

// read calls f with the entries of a backup.
func read(r io.Reader, f func(entry) error) error {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	in := gob.NewDecoder(packed)
	var h header
	if err := in.Decode(&h); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.Format > format {
		return ErrFormat
	}
	for {
		var e entry
		if err := in.Decode(&e); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if e.Name == "" {
			break
		}
		if err := f(e); err != nil {
			return err
		}
	}
	if _, err := packed.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // at the end gzip compares the checksum
		return fmt.Errorf("%w: more data follows its end (%v)", ErrDamaged, err) //nolint:errorlint // err is nil if more data follows
	}
	return nil
}
