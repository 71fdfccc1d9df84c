package bolt

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
)

// scrub overwrites the free pages of the file, which still hold what was erased.
// Readers and writers wait for it.
func (d *DB) scrub(ctx context.Context) error {
	select {
	case d.queue.turn <- struct{}{}:
		defer func() { <-d.queue.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	d.readers.Lock()
	defer d.readers.Unlock()
	if !d.erased {
		return nil
	}
	// bbolt goes back one transaction if the last is torn, and two if this one is.
	// After two empty ones neither holds a page that was freed before.
	for range 2 {
		if err := d.tryUpdate(func(*bbolt.Tx) error { return nil }); err != nil {
			return fmt.Errorf("write empty transactions: %w", err)
		}
	}
	size := d.opened.db.Info().PageSize
	// Nobody reads, so bbolt knows all free pages as free.
	if err := d.tryUpdate(func(tx *bbolt.Tx) error { return blank(tx, d.opened.file, size) }); err != nil {
		return fmt.Errorf("overwrite free pages: %w", err)
	}
	d.erased = false
	return nil
}

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
		return fmt.Errorf("write the file out: %w", err)
	}
	return nil
}
