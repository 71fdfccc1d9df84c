// Package backup copies whole stores of any engine into files and back. A backup is
// sealed with the key of its store, and may be restored under another one.
package backup

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/store"
	"heddle/store/seal"
)

// A backup begins with a line of text: magic, and the fingerprint of the key if there is
// one. Chunks follow as texts, encoded with gob. A chunk is sealed with its number, and
// holds entries, encoded with gob and packed with gzip. The last chunk is empty. So a
// chunk that is damaged, missing or in another place is refused.

const magic = "heddle backup 4"

// place is where chunks are sealed.
const place = "backup"

// chunk is some entries with the time at which they were read.
type chunk struct {
	At      time.Time
	Entries []store.Entry
}

// Write writes a backup of a store, which may be in use, and returns the number of
// entries. Entries that are stored during the backup may be missing. An answer in the
// backup is always complete. key is that of the store; nil if it is not encrypted.
func Write(ctx context.Context, w io.Writer, from *store.Archive, key *seal.Key) (entries int, err error) {
	sealer, out, number := seal.New(key), gob.NewEncoder(w), 0
	if _, err := fmt.Fprintln(w, strings.TrimSpace(magic+" "+sealer.Print())); err != nil {
		return 0, fmt.Errorf("write a backup: %w", err)
	}
	write := func(some []store.Entry) error {
		var b bytes.Buffer
		packed := gzip.NewWriter(&b)
		err := errors.Join(gob.NewEncoder(packed).Encode(chunk{time.Now(), some}), packed.Close())
		if err == nil {
			number++
			err = out.Encode(sealer.Value(place, strconv.Itoa(number), b.String()))
		}
		if err != nil {
			return fmt.Errorf("write a backup: %w", err)
		}
		return nil
	}
	err = from.Walk(ctx, func(some []store.Entry) error {
		if len(some) == 0 {
			return nil
		}
		entries += len(some)
		return write(some)
	})
	if err != nil {
		return entries, err
	}
	return entries, write(nil)
}

var (
	// ErrDamaged means that a file is not a backup, or is truncated or damaged.
	ErrDamaged = errors.New("the backup is damaged, or the file is not a backup")
	// ErrFormat means that another version of heddle wrote a backup.
	ErrFormat = errors.New("the backup was written by another version of heddle; restore it with that one")
	// ErrKey means that a backup was written with another key than the one given.
	ErrKey = errors.New("the key does not fit the backup")
)

// read calls f with the chunks of a backup, except the last.
func read(r io.Reader, key *seal.Key, f func(chunk) error) error {
	file := bufio.NewReader(r)
	sealer, err := header(file, key)
	if err != nil {
		return err
	}
	in := gob.NewDecoder(file)
	var sealed string
	for number := 1; ; number++ {
		if err := in.Decode(&sealed); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		some, err := open(sealer, number, sealed)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if len(some.Entries) == 0 {
			break
		}
		if err := f(some); err != nil {
			return err
		}
	}
	if _, err := file.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: more follows its end", ErrDamaged)
	}
	return nil
}

// header reads the first line of a backup and returns what opens its chunks.
func header(file *bufio.Reader, key *seal.Key) (*seal.Sealer, error) {
	line, err := file.ReadSlice('\n') // which fails if it is longer than any header
	const packed = "\x1f\x8b"         // how a backup of an earlier version began
	text := string(line)
	fingerprint, ok := strings.CutPrefix(text, magic)
	fingerprint = strings.TrimSpace(fingerprint)
	switch sealer := seal.New(key); {
	case !ok && (strings.HasPrefix(text, packed) || strings.HasPrefix(text, strings.TrimRight(magic, "4"))):
		return nil, ErrFormat
	case !ok || err != nil:
		return nil, ErrDamaged
	case fingerprint == "":
		return seal.New(nil), nil
	case fingerprint != sealer.Print():
		return nil, fmt.Errorf("%w: it was written with the key %s", ErrKey, fingerprint)
	default:
		return sealer, nil
	}
}

// open opens a chunk.
func open(sealer *seal.Sealer, number int, sealed string) (some chunk, err error) {
	name := strconv.Itoa(number)
	_, content, err := sealer.OpenValue(place, sealer.Name(place, name), []byte(sealed))
	if err != nil {
		return some, err
	}
	packed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return some, err
	}
	return some, gob.NewDecoder(packed).Decode(&some)
}

// Restore restores a backup into an empty store that nobody else has open. key is the one
// that the backup was written with. It returns the number of entries restored, without
// those that have expired since the backup. It reads the backup twice, and changes nothing
// unless all of it can be read. The store cannot be used before Restore has finished. If
// Restore is interrupted, it can be called again with the same backup.
func Restore(ctx context.Context, r io.ReadSeeker, to *store.Archive, key *seal.Key) (entries int, err error) {
	if err := read(r, key, func(chunk) error { return ctx.Err() }); err != nil {
		return 0, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read the backup again: %w", err)
	}
	if err := to.BeginRestore(ctx); err != nil {
		return 0, err
	}
	err = read(r, key, func(some chunk) error {
		since := time.Since(some.At)
		left := slices.DeleteFunc(some.Entries, func(e store.Entry) bool { return e.TTL <= since })
		for i := range left {
			left[i].TTL -= since
		}
		entries += len(left)
		return to.Restore(ctx, left)
	})
	if err != nil {
		return entries, fmt.Errorf("restore: %w", err)
	}
	return entries, to.EndRestore(ctx)
}
