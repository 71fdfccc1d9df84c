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
	"sync/atomic"
	"syscall"
	"time"

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
	// Renewed is told of each time that the file is found damaged, be it when it is
	// opened or later. It is then set aside under another name, and an empty one takes
	// its place. Nil: a damaged file is an error.
	Renewed func(Renewed)
}

// DB is a store.Engine in a file.
type DB struct {
	path        string
	lockTimeout time.Duration
	tell        func(Renewed) // nil: a damaged file is an error
	now         func() time.Time
	renewals    atomic.Int64

	queue  queue
	leases leases

	// broken and erased are guarded by the queue's turn.
	broken error // damage that was met in writing and not mended
	erased bool  // something may be on free pages

	// readers is held by all who read, and against them while free pages are
	// overwritten, or another file takes the place of the one that opened is. That
	// is changed by who has the turn, too, so that who has it may use it.
	readers sync.RWMutex
	opened  opened
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
		options.LockTimeout = lockTimeout
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: the directory %s cannot be made: %w", store.ErrUnavailable, options.Dir, err)
	}
	d := &DB{
		path: filepath.Join(options.Dir, FileName), lockTimeout: options.LockTimeout,
		tell: options.Renewed, now: options.Now,
		queue: newQueue(), leases: leases{held: make(map[string]lease)},
	}
	if err := d.begin(); err != nil {
		return nil, err
	}
	return d, nil
}

// explain says in a sentence why a file did not open.
func explain(file string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("%w: %s is held; end the other heddle or give this one another DATA_DIR", store.ErrLocked, file)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %s cannot be written: %w", store.ErrUnavailable, file, err)
	case errors.Is(err, bolterrors.ErrVersionMismatch):
		return fmt.Errorf("%w: the file %s (%w)", store.ErrSchema, file, err)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum),
		errors.Is(err, bolterrors.ErrInvalidMapping), errors.Is(err, store.ErrCorrupt):
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
	if d.broken != nil { // bbolt may hold locks that it would wait for
		d.opened.abandon()
	} else if closing := d.opened.db.Close(); closing != nil {
		err = errors.Join(err, closing)
	}
	if err != nil {
		return fmt.Errorf("close the store's file: %w", err)
	}
	return nil
}
