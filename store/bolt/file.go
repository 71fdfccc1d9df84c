package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

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
// quarantines it first.
func (d *DB) begin(path string, options Options) error {
	err := d.open(path, options)
	if errors.Is(err, store.ErrCorrupt) && options.Quarantined != nil {
		moved := path + ".damaged-" + d.now().UTC().Format("20060102T150405.000000000Z")
		if failed := os.Rename(path, moved); failed != nil {
			return fmt.Errorf("%w; it could not be quarantined: %w", err, failed)
		}
		d.quarantined = 1
		options.Quarantined(Quarantine{File: path, Moved: moved, Cause: err})
		err = d.open(path, options)
	}
	return err
}

// errFault means that bbolt panicked or caused a memory fault.
var errFault = errors.New("bbolt failed to read it")

// open opens the file, creates its bucket and looks for damage. bbolt may read beyond the
// end of a damaged file, which is a fault that guard turns into an error. The list of free
// pages is written with every change. Otherwise bbolt would search for free pages in a
// goroutine of its own, in which a fault ends the process.
func (d *DB) open(path string, options Options) error {
	err := guard(func() (err error) {
		if err := cut(path, options); err != nil {
			return err
		}
		d.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:      options.LockTimeout,
			FreelistType: bbolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				f, err := os.OpenFile(name, flag, mode) //nolint:gosec // the operator names the file
				d.file = f
				return f, err
			},
		})
		if err != nil {
			return fmt.Errorf("open: %w", err)
		}
		held, err := d.file.Stat()
		if err != nil {
			return fmt.Errorf("look at the file: %w", err)
		}
		return d.db.Update(func(tx *bbolt.Tx) error { return prepare(tx, held.Size()) })
	})
	if err != nil && d.db != nil && !errors.Is(err, errFault) { // after a fault it holds locks for which Close would wait
		err = errors.Join(err, d.db.Close())
	}
	return explain(path, err)
}

// cut returns store.ErrCorrupt if a file is too short, for which bbolt has no error of its own.
// bbolt takes an empty file for a new one, and so does cut where nobody would hear of the loss.
func cut(path string, options Options) error {
	const pages = 2 // every file begins with two meta pages
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() >= int64(pages*os.Getpagesize()) || info.Size() == 0 && options.Quarantined == nil {
		return nil //nolint:nilerr // opening it shows the error
	}
	return fmt.Errorf("%w: it has only %d bytes", store.ErrCorrupt, info.Size())
}

// prepare creates what heddle stores in. It returns an error if the file is not heddle's, or
// shorter than what is in it, and reads every entry, which is a fault if a page is damaged.
func prepare(tx *bbolt.Tx, size int64) error {
	if tx.Size() > size {
		return fmt.Errorf("%w: it has %d bytes of %d", store.ErrCorrupt, size, tx.Size())
	}
	switch first, _ := tx.Cursor().First(); {
	case string(first) == "members":
		return store.ErrSchema // an earlier heddle had it
	case first != nil && string(first) != bucketName:
		return store.ErrForeign
	}
	bucket, err := tx.CreateBucketIfNotExists([]byte(bucketName))
	if err == nil {
		err = bucket.ForEach(func(_, _ []byte) error { return nil })
	}
	if err != nil {
		return fmt.Errorf("read the entries: %w", err)
	}
	return nil
}

// guard calls f, and turns a panic or memory fault into store.ErrCorrupt. bbolt fails
// with them on a damaged file. Its own deferred calls end the transaction.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %w: %v", store.ErrCorrupt, errFault, reason)
		}
	}()
	return f()
}
