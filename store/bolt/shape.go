package bolt

import (
	"encoding/binary"
	"fmt"
	"io"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// shape checks the branch pages of a file. bbolt follows them wherever they lead. A
// page that leads back to itself or to a page above it would exhaust the stack, which
// ends the process: guard cannot turn that into an error.
type shape struct {
	file io.ReaderAt
	size int64           // of a page
	seen map[uint64]bool // branch pages
}

// The format of bbolt's file, as far as it is read here.
const (
	pageHeader  = 16 // bytes: the page's number, its kind, the number of elements
	pageElement = 16 // bytes; the last eight are the number of the page below
	pageBranch  = 1  // the kind of branch pages
)

// checkShape returns store.ErrCorrupt if two pages lead to the same one. It reads only
// branch pages, which are few.
func checkShape(tx *bbolt.Tx, file io.ReaderAt) error {
	s := shape{file, int64(tx.DB().Info().PageSize), make(map[uint64]bool)}
	for _, name := range buckets() {
		bucket := tx.Bucket(name)
		if bucket == nil || bucket.Root() == 0 { // it does not exist yet, or lies within another page
			continue
		}
		if err := s.walk(uint64(bucket.Root())); err != nil {
			return err
		}
	}
	return nil
}

// walk checks a page and those below it. All pages of one level are of one kind, so
// that the leaves are not read.
func (s *shape) walk(page uint64) error {
	below, err := s.below(page)
	if err != nil || len(below) == 0 {
		return err
	}
	s.seen[page] = true
	deeper, err := s.below(below[0])
	if err != nil {
		return err
	}
	for _, next := range below {
		if s.seen[next] {
			return fmt.Errorf("%w: page %d leads to page %d, which others lead to", store.ErrCorrupt, page, next)
		}
		if len(deeper) == 0 {
			continue
		}
		if err := s.walk(next); err != nil {
			return err
		}
	}
	return nil
}

// below returns the numbers of the pages that a page leads to.
func (s *shape) below(page uint64) ([]uint64, error) {
	header := make([]byte, pageHeader)
	if err := s.read(header, page, 0); err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint16(header[8:]) != pageBranch {
		return nil, nil
	}
	elements := make([]byte, pageElement*int(binary.NativeEndian.Uint16(header[10:])))
	if err := s.read(elements, page, pageHeader); err != nil {
		return nil, err
	}
	var below []uint64
	for ; len(elements) > 0; elements = elements[pageElement:] {
		below = append(below, binary.NativeEndian.Uint64(elements[pageElement-8:]))
	}
	return below, nil
}

func (s *shape) read(into []byte, page uint64, at int64) error {
	if _, err := s.file.ReadAt(into, int64(page)*s.size+at); err != nil { //nolint:gosec // beyond the end, or before its beginning, is an error
		return fmt.Errorf("%w: page %d: %w", store.ErrCorrupt, page, err)
	}
	return nil
}
