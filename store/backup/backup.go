// Package backup copies whole stores of any engine into files and back. A backup is
// sealed with the key of its store, and may be restored under another one.
package backup

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"heddle/store"
	"heddle/store/seal"
)

// A backup begins with a line of text: magic, and the fingerprint of the key if there is
// one. Chunks follow, each behind its length in four bytes. A chunk is sealed with its
// number, and contains entries, encoded with gob and packed with gzip. The last chunk is
// empty. So a chunk that is damaged, missing or in another place is refused.

const magic = "heddle backup 3"

// place is where chunks are sealed.
const place = "backup"

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
// backup is always complete. key is that of the store; nil if it is not encrypted.
func Write(ctx context.Context, w io.Writer, from *store.Archive, key *seal.Key) (entries int, err error) {
	out := writer{w: w, sealer: seal.New(key)}
	if _, err := fmt.Fprintln(w, strings.TrimSpace(magic+" "+out.sealer.Print())); err != nil {
		return 0, fmt.Errorf("write a backup: %w", err)
	}
	err = from.Walk(ctx, func(some []store.Entry) error {
		chunk := make([]entry, len(some))
		for i, e := range some {
			chunk[i] = entry{Scope: e.Scope, Name: e.Name, Member: e.Member, Value: e.Value, Ends: time.Now().Add(e.TTL)}
		}
		entries += len(chunk)
		if len(chunk) == 0 {
			return nil
		}
		return out.chunk(chunk)
	})
	if err != nil {
		return entries, err
	}
	return entries, out.chunk(nil)
}

// writer writes chunks.
type writer struct {
	w      io.Writer
	sealer *seal.Sealer
	number int
}

func (w *writer) chunk(entries []entry) error {
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	if err := errors.Join(gob.NewEncoder(packed).Encode(entries), packed.Close()); err != nil {
		return fmt.Errorf("write a backup: %w", err)
	}
	w.number++
	sealed := w.sealer.Value(place, strconv.Itoa(w.number), b.String())
	size := binary.BigEndian.AppendUint32(nil, uint32(len(sealed))) //nolint:gosec // far below 4 GB
	if _, err := w.w.Write(append(size, sealed...)); err != nil {
		return fmt.Errorf("write a backup: %w", err)
	}
	return nil
}

var (
	// ErrDamaged means that a file is not a backup, or is truncated or damaged.
	ErrDamaged = errors.New("the backup is damaged, or the file is not a backup")
	// ErrFormat means that another version of heddle wrote a backup.
	ErrFormat = errors.New("the backup was written by another version of heddle; restore it with that one")
	// ErrKey means that a backup was written with another key than the one given.
	ErrKey = errors.New("the key does not fit the backup")
)

// read calls f with the entries of a backup, chunk by chunk.
func read(r io.Reader, key *seal.Key, f func([]entry) error) error {
	sealer, err := header(r, key)
	if err != nil {
		return err
	}
	for number := 1; ; number++ {
		var size [4]byte
		if _, err := io.ReadFull(r, size[:]); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		var sealed bytes.Buffer
		if n, err := io.CopyN(&sealed, r, int64(binary.BigEndian.Uint32(size[:]))); err != nil {
			return fmt.Errorf("%w: a chunk ends after %d bytes: %w", ErrDamaged, n, err)
		}
		chunk, err := open(sealer, number, sealed.Bytes())
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if len(chunk) == 0 {
			break
		}
		if err := f(chunk); err != nil {
			return err
		}
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: more follows its end", ErrDamaged)
	}
	return nil
}

// header reads the first line of a backup and returns what opens its chunks.
func header(r io.Reader, key *seal.Key) (*seal.Sealer, error) {
	const most = 64 // bytes
	var line []byte
	for b := make([]byte, 1); len(line) < most; line = append(line, b[0]) {
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if b[0] == '\n' {
			break
		}
	}
	const packed = "\x1f\x8b" // how a backup of an earlier version began
	text := string(line)
	fingerprint, ok := strings.CutPrefix(text, magic)
	switch sealer := seal.New(key); {
	case !ok && (strings.HasPrefix(text, packed) || strings.HasPrefix(text, strings.TrimRight(magic, "3"))):
		return nil, ErrFormat
	case !ok:
		return nil, ErrDamaged
	case fingerprint == "":
		return seal.New(nil), nil
	case strings.TrimSpace(fingerprint) != sealer.Print():
		return nil, fmt.Errorf("%w: it was written with the key%s", ErrKey, fingerprint)
	default:
		return sealer, nil
	}
}

// open opens a chunk.
func open(sealer *seal.Sealer, number int, sealed []byte) (chunk []entry, err error) {
	name := strconv.Itoa(number)
	_, content, err := sealer.OpenValue(place, sealer.Name(place, name), sealed)
	if err != nil {
		return nil, err
	}
	packed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return chunk, gob.NewDecoder(packed).Decode(&chunk)
}

// Restore restores a backup into an empty store that nobody else has open. key is the one
// that the backup was written with. It returns the number of entries restored, without
// those that have expired since the backup. It reads the backup twice, and changes nothing
// unless all of it can be read. The store cannot be used before Restore has finished. If
// Restore is interrupted, it can be called again with the same backup.
func Restore(ctx context.Context, r io.ReadSeeker, to *store.Archive, key *seal.Key) (entries int, err error) {
	if err := read(r, key, func([]entry) error { return ctx.Err() }); err != nil {
		return 0, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read the backup again: %w", err)
	}
	if err := to.BeginRestore(ctx); err != nil {
		return 0, err
	}
	err = read(r, key, func(chunk []entry) error {
		var some []store.Entry
		for _, e := range chunk {
			if left := time.Until(e.Ends); left > 0 {
				some = append(some, store.Entry{Key: store.Key{Scope: e.Scope, Name: e.Name}, Member: e.Member, Value: e.Value, TTL: left})
			}
		}
		entries += len(some)
		return to.Restore(ctx, some)
	})
	if err != nil {
		return entries, fmt.Errorf("restore: %w", err)
	}
	return entries, to.EndRestore(ctx)
}
