package bolt

import (
	"encoding/binary"
	"fmt"
	"io"

	"go.etcd.io/bbolt"

	"heddle/store"
)

// shape checks the branch pages of a file. bbolt follows them without a check. A page
// that leads to itself or to a page above it would make bbolt exhaust the stack, which
// ends the process and which guard cannot recover.
type shape struct {
	file io.ReaderAt
	size int64           // size of a page in bytes
	seen map[uint64]bool // the branch pages that were walked
}

// The parts of bbolt's file format that shape reads.
const (
	pageHeader  = 16 // bytes: the page's number, its kind, the number of elements
	pageElement = 16 // bytes; the last eight are the number of the child page
	pageBranch  = 1  // flag of a branch page
)

// checkShape returns store.ErrCorrupt if two pages lead to the same page. It reads only
// branch pages, which are few.
func checkShape(tx *bbolt.Tx, file io.ReaderAt) error {
	s := shape{file, int64(tx.DB().Info().PageSize), make(map[uint64]bool)}
	for _, name := range buckets() {
		bucket := tx.Bucket(name)
		if bucket == nil || bucket.Root() == 0 { // it does not exist yet, or is inlined in another page
			continue
		}
		if err := s.walk(uint64(bucket.Root())); err != nil {
			return err
		}
	}
	return nil
}

// walk checks a page and the pages below it. It does not read leaves, because all pages
// of one level are of the same kind.
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
