package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// Quarantine describes a damaged file that was replaced by an empty one.
type Quarantine struct {
	File  string // path of the store's file
	Moved string // path to which the damaged file was renamed
	Cause error  // the error that revealed the damage
}

// begin opens the file. If the file is damaged and Options.Quarantined is set, begin
// quarantines it first. The caller must have the turn, unless nobody else uses the
// database yet.
func (d *database) begin() error {
	o, cause := d.look()
	err := explain(d.path, cause)
	if errors.Is(err, store.ErrCorrupt) && d.report != nil {
		if failed := d.quarantine(o.info, cause); failed != nil {
			return fmt.Errorf("%w; it could not be quarantined: %w", err, failed)
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
	d.erased = true // an earlier process may have ended before it overwrote what it erased
	return nil
}

// look opens the file. It treats an existing empty file as damaged. bbolt would take it
// for a new one, and the loss would go unnoticed.
func (d *database) look() (opened, error) {
	if info, err := os.Stat(d.path); d.report != nil && err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return opened{info: info}, errEmpty
	}
	return open(d.path, d.lockTimeout)
}

// quarantine renames the damaged file, unless another process already did.
func (d *database) quarantine(damaged os.FileInfo, cause error) error {
	if there, err := os.Stat(d.path); err != nil || !os.SameFile(there, damaged) {
		return nil //nolint:nilerr // opening the file will report the error
	}
	aside := unused(d.path + ".damaged-" + d.now().UTC().Format("20060102T150405Z"))
	if err := os.Rename(d.path, aside); err != nil {
		return err
	}
	if moved, err := os.Stat(aside); err == nil && !os.SameFile(moved, damaged) {
		return os.Rename(aside, d.path) // another process was faster, and this is the new file
	}
	d.quarantines.Add(1)
	d.report(Quarantine{File: d.path, Moved: aside, Cause: cause})
	return nil
}

// unused returns a name that no file has.
func unused(name string) string {
	for n, tried := 2, name; ; n++ {
		if _, err := os.Lstat(tried); errors.Is(err, os.ErrNotExist) {
			return tried
		}
		tried = name + "-" + strconv.Itoa(n)
	}
}

// replace quarantines a file that was found damaged in use, and opens a new one. The
// caller must have the turn. If replace fails, the store is unavailable until an
// operator repairs it.
func (d *database) replace(damaged *bbolt.DB, cause error) error {
	if d.opened.db != damaged {
		return nil // it has already been replaced
	}
	if d.report == nil {
		return cause
	}
	before := d.opened
	if err := d.quarantine(d.opened.info, cause); err != nil {
		return fmt.Errorf("%w: the file %s is damaged and could not be quarantined: %w", store.ErrUnavailable, d.path, err)
	}
	if err := d.begin(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	before.abandon()
	return nil
}

// replaceInTurn waits for the turn and then calls replace.
func (d *database) replaceInTurn(ctx context.Context, damaged *bbolt.DB, cause error) error {
	release, err := d.turn.wait(ctx)
	if err != nil {
		return err
	}
	defer release()
	return d.replace(damaged, cause)
}
