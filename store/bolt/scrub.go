package bolt

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
)

// scrub overwrites the free pages of the file, because they still contain erased data.
// Readers and writers wait until it is done.
func (d *DB) scrub(ctx context.Context) error {
	release, err := d.turn.wait(ctx)
	if err != nil {
		return err
	}
	defer release()
	d.readers.Lock()
	defer d.readers.Unlock()
	if !d.erased {
		return nil
	}
	// If the last transaction is torn, bbolt goes back to the one before it. After two
	// empty transactions, neither of the two that bbolt may go back to uses a page that
	// was freed before. There are no readers now, so bbolt counts every free page as free.
	nothing := func(*bbolt.Tx) error { return nil }
	overwrite := func(tx *bbolt.Tx) error { return blank(tx, d.file, d.db.Info().PageSize) }
	for _, step := range []func(*bbolt.Tx) error{nothing, nothing, overwrite} {
		if err := d.update(step); err != nil {
			return fmt.Errorf("overwrite free pages: %w", err)
		}
	}
	d.erased = false
	return nil
}

// blank overwrites the free pages of a file with zeros.
func blank(tx *bbolt.Tx, file *os.File, size int) error {
	zeros, content := make([]byte, size), make([]byte, size)
	for id := 0; ; {
		page, err := tx.Page(id)
		if err != nil {
			return fmt.Errorf("look at a page: %w", err)
		}
		if page == nil {
			break
		}
		if page.Type != "free" {
			id += 1 + page.OverflowCount
			continue
		}
		at := int64(id) * int64(size)
		if _, err := file.ReadAt(content, at); err != nil {
			return fmt.Errorf("read a free page: %w", err)
		}
		if !bytes.Equal(content, zeros) {
			if _, err := file.WriteAt(zeros, at); err != nil {
				return fmt.Errorf("overwrite a free page: %w", err)
			}
		}
		id++
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("sync the file: %w", err)
	}
	return nil
}
