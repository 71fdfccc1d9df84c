// Package backup copies whole stores, of any engine, into files and back. What is
// encrypted stays so: a backup holds the keys of the scopes only in the form that needs
// the master key.
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

// A backup is compressed by gzip, whose checksum reveals one that is cut or damaged. In
// it are a header and then entries, each encoded by gob. The last one is empty.

// format is the version of backups.
const format = 1

type header struct {
	Format int
	Made   time.Time
}

// entry is an entry as a backup holds it.
type entry struct {
	Scope  store.Scope
	Name   string
	Member string
	Value  []byte
	Ends   time.Time
}

// Write writes a backup of a store that may be in use, and returns the number of its
// entries. What is stored meanwhile may be missing. What is there is whole: an answer is
// read before the turns, nodes and indexes that were stored with it.
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
				if err := out.Encode(entry{e.Scope, e.Name, e.Member, e.Value, time.Now().Add(e.TTL)}); err != nil {
					return fmt.Errorf("write a backup: %w", err)
				}
			}
			return nil
		})
		if err != nil {
			return entries, err //nolint:wrapcheck // as an engine returns it
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
	// ErrDamaged means that a file is no backup, or is cut or damaged.
	ErrDamaged = errors.New("the backup is damaged, or is none")
	// ErrFormat means that a newer heddle wrote a backup.
	ErrFormat = errors.New("the backup was written by a newer version of heddle")
	// ErrNotEmpty means that there is something already where a backup is to be
	// restored.
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
	if _, err := packed.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // by then it has compared the checksum
		return fmt.Errorf("%w: it goes on behind its end (%v)", ErrDamaged, err) //nolint:errorlint // nil if it does
	}
	return nil
}
