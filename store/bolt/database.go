package bolt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
)

// database runs transactions in the store's file. A file that proves damaged is
// replaced by an empty one, in which the transaction runs again.
type database struct {
	path        string
	lockTimeout time.Duration
	report      func(Quarantine) // nil: a damaged file is an error
	now         func() time.Time
	quarantines atomic.Int64

	// turn guards broken and erased.
	turn   turn
	broken error // damage found while writing and not repaired yet
	erased bool  // free pages may hold erased data

	// readers is locked for reading by everything that reads, and for writing while
	// free pages are overwritten or opened is replaced. Only the holder of the turn
	// replaces opened, so the holder may use opened without locking readers.
	readers sync.RWMutex
	opened  opened
}

// tryUpdate runs f in a write transaction. The caller must have the turn. Once damage
// was found it always fails, because bbolt may hold locks that it would wait for.
func (d *database) tryUpdate(f func(*bbolt.Tx) error) error {
	if d.broken != nil {
		return d.broken
	}
	err := guard(func() error { return d.opened.db.Update(f) })
	if errors.Is(err, errFault) {
		d.broken = err
	}
	return err
}

// update is like tryUpdate. If the file proves damaged, update replaces it and runs f
// again in the new file.
func (d *database) update(f func(*bbolt.Tx) error) error {
	err := d.tryUpdate(f)
	if !errors.Is(err, errFault) {
		return err
	}
	if err := d.replace(d.opened.db, err); err != nil {
		return err
	}
	return d.tryUpdate(f)
}

// view runs read in a read transaction. If the file proves damaged, view replaces it
// and runs read again in the new file.
func (d *database) view(ctx context.Context, read func(*bbolt.Tx)) error {
	db, err := d.tryView(read)
	if errors.Is(err, errFault) {
		if err = d.replaceInTurn(ctx, db, err); err == nil {
			_, err = d.tryView(read)
		}
	}
	return err
}

// tryView runs read in a read transaction and returns the database it ran in.
func (d *database) tryView(read func(*bbolt.Tx)) (*bbolt.DB, error) {
	d.readers.RLock()
	defer d.readers.RUnlock()
	db := d.opened.db
	return db, guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			read(tx)
			return nil
		})
	})
}

// close waits for writes in progress, overwrites what was erased and releases the file.
func (d *database) close() error {
	err := guard(func() error { return d.scrub(context.Background()) })
	if d.broken != nil { // bbolt may hold locks that its Close would wait for
		d.opened.abandon()
	} else if closing := d.opened.db.Close(); closing != nil {
		err = errors.Join(err, closing)
	}
	if err != nil {
		return fmt.Errorf("close the store's file: %w", err)
	}
	return nil
}
