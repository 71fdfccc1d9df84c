// Package bolt is the embedded engine of a store: one bbolt file, held by one
// process at a time. Every change is on disk when its call returns; calls that
// arrive while the disk is busy share the next write. Leases live in memory: when
// the process ends so do they, as nobody else can hold the file.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"heddle/store"
)

// FileName is the name of the store's file in its directory.
const FileName = "heddle.db"

// Options are the settings of a DB.
type Options struct {
	Dir         string           // made if it is missing
	LockTimeout time.Duration    // how long to wait for a predecessor to let go; 0: 1s
	Now         func() time.Time // nil: time.Now
}

// DB is a store.Engine in a file.
type DB struct {
	db   *bbolt.DB
	file *os.File // db's own
	now  func() time.Time

	queue  queue
	leases leases
	erased bool // something may be on free pages; guarded by the queue's turn

	// readers is held by all who read, and against them while free pages are
	// overwritten.
	readers sync.RWMutex
}

// The buckets. A value's key is the length of its scope in a byte, the scope and
// the name; a member's is the length of the scope, the scope, the length of the
// set's name, the name and the member. Both hold when they end, as milliseconds in
// eight bytes, then the value. The third orders all of them by their ends.
func buckets() [3][]byte { return [3][]byte{[]byte("values"), []byte("members"), []byte("ends")} }

// Open opens or makes the store in a directory. It fails with store.ErrLocked
// when another process holds it, with store.ErrCorrupt when the file is damaged,
// and with store.ErrUnavailable when the directory or the file cannot be written.
func Open(options Options) (*DB, error) {
	if options.LockTimeout <= 0 {
		options.LockTimeout = time.Second
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: the directory %s cannot be made: %w", store.ErrUnavailable, options.Dir, err)
	}
	file := filepath.Join(options.Dir, FileName)
	db, opened, err := open(file, options.LockTimeout)
	if err != nil {
		return nil, explain(file, err)
	}
	return &DB{
		db: db, file: opened, now: options.Now,
		queue: newQueue(), leases: leases{held: make(map[string]lease)},
		erased: true, // a predecessor may have ended before it got to it
	}, nil
}

// explain says in a sentence why a file did not open.
func explain(file string, err error) error {
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("%w: %s is held; end the other heddle or give this one another DATA_DIR", store.ErrLocked, file)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %s cannot be written: %w", store.ErrUnavailable, file, err)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum),
		errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrInvalidMapping), errors.Is(err, store.ErrCorrupt):
		return fmt.Errorf("%w: the file %s (%w); put a backup in its place, or move it away to begin anew", store.ErrCorrupt, file, err)
	default:
		return failure(fmt.Errorf("open %s: %w", file, err))
	}
}

// failure gives an error of bbolt its kind: what the disk refuses is unavailable.
func failure(err error) error {
	switch {
	case err == nil, errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrUnavailable),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case full(err):
		return fmt.Errorf("%w: the disk is full: %w", store.ErrFull, err)
	default:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
}

// full says whether there is no room. bbolt hands on some errors as text only.
func full(err error) bool {
	for _, no := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, no) || strings.Contains(err.Error(), no.Error()) {
			return true
		}
	}
	return false
}

// Close waits for the writes under way, overwrites what was erased and lets go of
// the file.
func (d *DB) Close() error {
	err := guard(func() error { return d.scrub(context.Background()) })
	if closing := d.db.Close(); closing != nil {
		err = errors.Join(err, closing)
	}
	if err != nil {
		return fmt.Errorf("close the store's file: %w", err)
	}
	return nil
}
