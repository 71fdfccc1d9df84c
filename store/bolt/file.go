package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// errMoved is met when the file was replaced while it was being opened.
var errMoved = errors.New("the file was replaced while it was being opened")

// open opens the file, and where most of it is free, packs it first.
func open(file string, timeout time.Duration) (*bbolt.DB, *os.File, error) {
	db, opened, err := openFile(file, timeout)
	if errors.Is(err, errMoved) { // by a process that packed it and has ended
		db, opened, err = openFile(file, timeout)
	}
	if err != nil {
		return nil, nil, err
	}
	if free, size := db.Stats().FreePageN*db.Info().PageSize, fileSize(db.Path()); size < packFrom || int64(free) < size/2 {
		return db, opened, nil
	}
	if err := pack(db, file); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	if err := db.Close(); err != nil {
		return nil, nil, fmt.Errorf("close the unpacked file: %w", err)
	}
	return openFile(file, timeout)
}

// errFault is met when bbolt ran into a fault or gave up.
var errFault = errors.New("it cannot be read")

// packFrom is the size from which it is worth to pack, in bytes.
const packFrom = 16 << 20

// openFile opens the file and makes its buckets. bbolt reads a damaged file beyond
// its end. It does so here, where that is an error, because the free pages are
// written with every change; it would have to look for them in a goroutine of its
// own otherwise, where a fault ends the process.
func openFile(file string, timeout time.Duration) (db *bbolt.DB, opened *os.File, err error) {
	err = guard(func() error {
		db, err = bbolt.Open(file, 0o600, &bbolt.Options{
			Timeout:      timeout,
			FreelistType: bbolt.FreelistMapType,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				f, err := os.OpenFile(name, flag, mode) //nolint:gosec // the operator names the file
				opened = f
				return f, err //nolint:wrapcheck // bbolt hands it on to explain
			},
		})
		if err != nil {
			return fmt.Errorf("open: %w", err)
		}
		return prepare(db, opened, file)
	})
	if err != nil && db != nil && !errors.Is(err, errFault) { // after a fault bbolt holds locks that Close waits for
		err = errors.Join(err, db.Close())
	}
	return db, opened, err
}

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
	return db.Update(func(tx *bbolt.Tx) error { //nolint:wrapcheck // explain says what it is about
		if tx.Size() > held.Size() {
			return fmt.Errorf("%w: it has %d bytes of %d", store.ErrCorrupt, held.Size(), tx.Size())
		}
		if err := checkShape(tx, opened); err != nil {
			return err
		}
		for _, name := range buckets() {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return fmt.Errorf("make a bucket: %w", err)
			}
		}
		return nil
	})
}

// pack writes what is in use into a new file and puts it in the place of the old
// one, which stays locked meanwhile.
func pack(db *bbolt.DB, file string) error {
	temporary := file + ".packed"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove an old packed file: %w", err)
	}
	packed, err := bbolt.Open(temporary, 0o600, &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return fmt.Errorf("make a packed file: %w", err)
	}
	const batch = 4 << 20 // bytes in a transaction
	err = guard(func() error { return bbolt.Compact(packed, db, batch) })
	if err := errors.Join(err, packed.Close()); err != nil {
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

// guard turns the panics and faults with which bbolt meets a damaged file into
// store.ErrCorrupt. bbolt's own deferred calls end the transaction.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %w: %v", store.ErrCorrupt, errFault, reason)
		}
	}()
	return f()
}
