package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"heddle/store"
)

// errMoved means that the file was replaced while it was being opened.
var errMoved = errors.New("the file was replaced while it was being opened")

// opened is a file that bbolt has opened.
type opened struct {
	db   *bbolt.DB
	file *os.File // db's file
	info os.FileInfo
}

// open opens the file. If most of the file is free, open packs it first. If open fails,
// the result is only good for identifying the file.
func open(file string, timeout time.Duration) (opened, error) {
	o, err := openFile(file, timeout)
	if errors.Is(err, errMoved) { // another process packed it and has ended since
		o, err = openFile(file, timeout)
	}
	if err != nil {
		return o, err
	}
	if free, size := o.db.Stats().FreePageN*o.db.Info().PageSize, fileSize(file); size < packFrom || int64(free) < size/2 {
		return o, nil
	}
	if err := o.release(pack(o.db, file)); err != nil {
		return o, err
	}
	return openFile(file, timeout)
}

// release closes the file because of err, and returns err joined with the error of
// closing.
func (o *opened) release(err error) error {
	switch {
	case errors.Is(err, errFault): // bbolt holds locks for which its Close would wait
		o.abandon()
		return err
	case o.db == nil:
		return err
	}
	if closing := o.db.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("close the file: %w", closing))
	}
	return err
}

// abandon releases a file after a fault, when bbolt can no longer close it properly.
func (o *opened) abandon() {
	if o.file != nil {
		unlock(o.file)
		_ = o.file.Close() // bbolt may have closed it
	}
}

// errFault means that bbolt panicked or caused a memory fault.
var errFault = errors.New("bbolt failed to read it")

// packFrom is the size in bytes from which on a file is packed. Packing a smaller one
// gains little.
const packFrom = 16 << 20

// openFile opens the file and creates its buckets. bbolt may read beyond the end of a
// damaged file, which is a fault that guard turns into an error. The list of free pages
// is written with every change. Otherwise bbolt would search for free pages in a
// goroutine of its own, in which a fault ends the process.
func openFile(file string, timeout time.Duration) (o opened, err error) {
	err = guard(func() error {
		o.db, err = bbolt.Open(file, 0o600, &bbolt.Options{
			Timeout:      timeout,
			FreelistType: bbolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				f, err := os.OpenFile(name, flag, mode) //nolint:gosec // the operator names the file
				if err == nil {
					o.file = f
					o.info, err = f.Stat()
				}
				return f, err
			},
		})
		if err != nil {
			return fmt.Errorf("open: %w", cut(o.info, err))
		}
		return prepare(o.db, o.file, file)
	})
	if err != nil {
		return o, o.release(err)
	}
	return o, nil
}

// cut returns store.ErrCorrupt in place of err if the file is too short, for which
// bbolt has no error of its own.
func cut(info os.FileInfo, err error) error {
	const pages = 2 // every file begins with two meta pages
	if info != nil && info.Size() > 0 && info.Size() < int64(pages*os.Getpagesize()) && !errors.Is(err, bolterrors.ErrTimeout) {
		return fmt.Errorf("%w: it has only %d bytes: %w", store.ErrCorrupt, info.Size(), err)
	}
	return err
}

// errEmpty means that the file exists and is empty.
var errEmpty = fmt.Errorf("%w: it is empty", store.ErrCorrupt)

// prepare creates what heddle stores in, in a file that was just opened. It returns an
// error if file names another one by now, or if the opened one is damaged or is not
// heddle's.
func prepare(db *bbolt.DB, opened *os.File, file string) error {
	held, err := opened.Stat()
	if err != nil {
		return fmt.Errorf("look at the open file: %w", err)
	}
	there, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("look at the file: %w", err)
	}
	if !os.SameFile(held, there) {
		return errMoved
	}
	return db.Update(func(tx *bbolt.Tx) error {
		if tx.Size() > held.Size() {
			return fmt.Errorf("%w: it has %d bytes of %d", store.ErrCorrupt, held.Size(), tx.Size())
		}
		if err := checkOwner(tx); err != nil {
			return err
		}
		if err := checkShape(tx, opened); err != nil {
			return err
		}
		for _, name := range buckets() {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return fmt.Errorf("create a bucket: %w", err)
			}
		}
		return nil
	})
}

// checkOwner returns store.ErrForeign if the file holds buckets and none of them is heddle's.
func checkOwner(tx *bbolt.Tx) error {
	foreign := false
	for _, name := range buckets() {
		if tx.Bucket(name) != nil {
			return nil
		}
	}
	err := tx.ForEach(func([]byte, *bbolt.Bucket) error {
		foreign = true
		return nil
	})
	if err == nil && foreign {
		return store.ErrForeign
	}
	return err
}

// pack copies the used part of the file into a new file, which replaces the old one.
// The old file stays locked meanwhile.
func pack(db *bbolt.DB, file string) error {
	temporary := file + ".packed"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove an old packed file: %w", err)
	}
	packed, err := bbolt.Open(temporary, 0o600, &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return fmt.Errorf("create a packed file: %w", err)
	}
	const batch = 4 << 20 // bytes in a transaction
	err = guard(func() error { return bbolt.Compact(packed, db, batch) })
	if !errors.Is(err, errFault) { // after a fault it holds locks for which Close waits
		err = errors.Join(err, packed.Close())
	}
	if err != nil {
		return fmt.Errorf("pack the file: %w", errors.Join(err, os.Remove(temporary)))
	}
	if err := os.Rename(temporary, file); err != nil {
		return fmt.Errorf("put the packed file in place: %w", err)
	}
	return nil
}

func fileSize(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
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
