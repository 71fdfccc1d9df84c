package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// Renewed says that the file was damaged, and that an empty one took its place.
type Renewed struct {
	File  string // where the store is
	Aside string // what the damaged file is called now
	Cause error  // how the damage showed
}

// begin opens the file. One that is damaged is set aside first, where that is wanted.
// The caller has the turn, or is alone.
func (d *DB) begin() error {
	o, cause := d.look()
	err := explain(d.path, cause)
	if errors.Is(err, store.ErrCorrupt) && d.tell != nil {
		if aside := d.setAside(o.info, cause); aside != nil {
			return fmt.Errorf("%w; it could not be set aside: %w", err, aside)
		}
		o, err = open(d.path, d.lockTimeout)
		err = explain(d.path, err)
	}
	if err != nil {
		return err
	}
	d.readers.Lock()
	defer d.readers.Unlock()
	d.opened, d.broken = o, nil
	d.erased = true // a predecessor may have ended before it got to it
	return nil
}

// look opens the file where there is none, or one that holds something. One that was
// emptied bbolt would take for new, and nobody would hear of what is lost.
func (d *DB) look() (opened, error) {
	if info, err := os.Stat(d.path); d.tell != nil && err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return opened{info: info}, errEmpty
	}
	return open(d.path, d.lockTimeout)
}

// setAside gives the damaged file another name, unless somebody else did.
func (d *DB) setAside(damaged os.FileInfo, cause error) error {
	if there, err := os.Stat(d.path); err != nil || !os.SameFile(there, damaged) {
		return nil //nolint:nilerr // who opens it will see
	}
	aside := unused(d.path + ".damaged-" + d.now().UTC().Format("20060102T150405Z"))
	if err := os.Rename(d.path, aside); err != nil {
		return err
	}
	if moved, err := os.Stat(aside); err == nil && !os.SameFile(moved, damaged) {
		return os.Rename(aside, d.path) // another process was quicker: this is the file it began
	}
	d.renewals.Add(1)
	d.tell(Renewed{File: d.path, Aside: aside, Cause: cause})
	return nil
}

// unused gives a name that no file has.
func unused(name string) string {
	for n, tried := 2, name; ; n++ {
		if _, err := os.Lstat(tried); errors.Is(err, os.ErrNotExist) {
			return tried
		}
		tried = name + "-" + strconv.Itoa(n)
	}
}

// renew begins anew after damage was met in a file that is in use. The caller has the
// turn. What is not renewed is unavailable: nothing is to be read from it, and nothing
// written to it, until somebody mends it.
func (d *DB) renew(damaged *bbolt.DB, cause error) error {
	if d.opened.db != damaged {
		return nil // it was renewed since
	}
	if d.tell == nil {
		return cause
	}
	before := d.opened
	if err := d.setAside(d.opened.info, cause); err != nil {
		return fmt.Errorf("%w: the file %s is damaged and could not be set aside: %w", store.ErrUnavailable, d.path, err)
	}
	if err := d.begin(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	before.abandon()
	return nil
}

// renewWith is renew for who has not the turn.
func (d *DB) renewWith(ctx context.Context, damaged *bbolt.DB, cause error) error {
	select {
	case d.queue.turn <- struct{}{}:
		defer func() { <-d.queue.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return d.renew(damaged, cause)
}

// Renewals is how often the file was found damaged and begun anew.
func (d *DB) Renewals() int64 { return d.renewals.Load() }

// tryUpdate runs f in a transaction that writes. The caller has the turn. Once damage
// was met nothing more is tried: bbolt may hold locks that it would wait for.
func (d *DB) tryUpdate(f func(*bbolt.Tx) error) error {
	if d.broken != nil {
		return d.broken
	}
	err := guard(func() error { return d.opened.db.Update(f) })
	if errors.Is(err, errFault) {
		d.broken = err
	}
	return err
}

// update is tryUpdate, once more in a file begun anew where this one is damaged.
func (d *DB) update(f func(*bbolt.Tx) error) error {
	err := d.tryUpdate(f)
	if !errors.Is(err, errFault) {
		return err
	}
	if err := d.renew(d.opened.db, err); err != nil {
		return err
	}
	return d.tryUpdate(f)
}

// lockTimeout is how long to wait for a predecessor where nothing else is said.
const lockTimeout = time.Second
