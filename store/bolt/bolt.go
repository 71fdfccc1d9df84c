// Package bolt is the embedded engine of a store: one bbolt file, which one process
// holds at a time. Every change is on disk when its call returns. Leases are kept in memory
// only. They may end with the process, because no other process can hold the file.
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

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"heddle/store"
)

// lockTimeout is the default of Options.LockTimeout.
const lockTimeout = time.Second

// FileName is the name of the store's file in its directory.
const FileName = "heddle.db"

// Options are the settings of a DB.
type Options struct {
	Dir         string           // created if missing
	LockTimeout time.Duration    // how long to wait for a predecessor to release the file; 0: 1s
	Now         func() time.Time // nil: time.Now
	// Quarantined is called if the file is found damaged when it is opened. The damaged
	// file is then renamed and replaced by an empty one. If Quarantined is nil, a damaged
	// file is an error.
	Quarantined func(Quarantine)
}

// DB is a store.Engine in a file.
type DB struct {
	now         func() time.Time
	quarantined int64                  // how often Open replaced a damaged file
	swept       atomic.Pointer[[]byte] // the key at which the next Sweep resumes; nil: the first
	turn        turn
	waiting     waiting

	// leases are in memory. They may end with the process, because no other process can
	// hold the file.
	leases atomic.Pointer[leases]

	// The turn guards broken and erased.
	broken error // damage that was found while writing
	erased bool  // free pages may hold erased data

	// readers is locked for reading by everything that reads, and for writing while free
	// pages are overwritten.
	readers sync.RWMutex
	db      *bbolt.DB
	file    *os.File // db's file
}

// Open opens or creates the store in a directory. It returns store.ErrLocked if another
// process holds it, store.ErrCorrupt if the file is damaged, and store.ErrUnavailable
// if the directory or the file cannot be written.
func Open(options Options) (*DB, error) {
	if options.LockTimeout <= 0 {
		options.LockTimeout = lockTimeout
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w: the directory %s cannot be created: %w", store.ErrUnavailable, options.Dir, err)
	}
	d := &DB{now: options.Now, turn: make(turn, 1)}
	d.leases.Store(&leases{})
	d.swept.Store(new([]byte))
	d.erased = true // an earlier process may have ended before it overwrote what it erased
	if err := d.begin(filepath.Join(options.Dir, FileName), options); err != nil {
		return nil, err
	}
	return d, nil
}

// explain returns an error that says why a file did not open, and what the operator can
// do.
func explain(file string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("%w: %s is held; end the other heddle or give this one another DATA_DIR", store.ErrLocked, file)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %s cannot be written: %w", store.ErrUnavailable, file, err)
	case errors.Is(err, store.ErrForeign):
		return fmt.Errorf("%w: the file %s holds none of heddle's data and is left as it is", store.ErrForeign, file)
	case errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, store.ErrSchema):
		return fmt.Errorf("%w: the file %s (%w)", store.ErrSchema, file, err)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum),
		errors.Is(err, bolterrors.ErrInvalidMapping), errors.Is(err, store.ErrCorrupt):
		return fmt.Errorf("%w: the file %s (%w); replace it with a backup, or move it away to start with an empty store", store.ErrCorrupt, file, err)
	default:
		return failure(fmt.Errorf("open %s: %w", file, err))
	}
}

// failure classifies an error of bbolt. An error of the disk becomes a
// store.ErrUnavailable.
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

// full reports whether err means that the disk is full. bbolt returns some such errors
// as text only.
func full(err error) bool {
	for _, no := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, no) || strings.Contains(err.Error(), no.Error()) {
			return true
		}
	}
	return false
}

// Quarantines returns how often a damaged file was replaced when the store was opened.
func (d *DB) Quarantines() int64 { return d.quarantined }

// update runs f in a write transaction. The caller must have the turn.
func (d *DB) update(f func(*bbolt.Tx) error) error {
	return d.use(func() error { return d.db.Update(f) })
}

// use calls f, which uses bbolt for writing. The caller must have the turn. Once damage was
// found use always fails, because bbolt may hold locks that it would wait for. The next heddle
// that opens the file finds the damage, too.
func (d *DB) use(f func() error) error {
	if d.broken != nil {
		return d.broken
	}
	err := damage(guard(f))
	if errors.Is(err, errFault) {
		d.broken = err
	}
	return err
}

// view runs read in a read transaction.
func (d *DB) view(ctx context.Context, read func(*table) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.readers.RLock()
	defer d.readers.RUnlock()
	return failure(damage(guard(func() error {
		return d.db.View(func(tx *bbolt.Tx) error { return read(newTable(tx, d.now(), nil)) })
	})))
}

// damage makes a fault in an open file a store.ErrUnavailable.
func damage(err error) error {
	if errors.Is(err, errFault) {
		return fmt.Errorf("%w: the store's file is damaged; restart heddle, which begins an empty one: %w", store.ErrUnavailable, err)
	}
	return err
}

// Close waits for writes in progress, overwrites what was erased and releases the file.
func (d *DB) Close() error {
	err := d.scrub(context.Background())
	if d.broken != nil {
		return nil //nolint:nilerr // damage was told of; bbolt may hold locks that its Close would wait for
	}
	if err = errors.Join(err, d.db.Close()); err != nil {
		return fmt.Errorf("close the store's file: %w", err)
	}
	return nil
}
