package store

import (
	"errors"
	"fmt"
)

var (
	// ErrUnavailable means that the store cannot be reached or rejects writes: Redis is
	// down, read-only or out of memory, or the disk is full. The same call may succeed
	// later.
	ErrUnavailable = errors.New("the store is not available")
	// ErrFull is an ErrUnavailable that means there is no room. Reads still work, and
	// smaller writes may fit.
	ErrFull = fmt.Errorf("%w, as it is full", ErrUnavailable)
	// ErrUntried is an ErrUnavailable that means the store was not asked, because
	// recent calls failed.
	ErrUntried = fmt.Errorf("%w, as of late it was not", ErrUnavailable)
	// ErrLocked means that another process holds the embedded store.
	ErrLocked = errors.New("the store is in use by another process")
	// ErrCorrupt means that an entry does not decode or does not fit its hash.
	ErrCorrupt = errors.New("a stored entry is damaged")
	// ErrSchema means that a newer heddle wrote the store.
	ErrSchema = errors.New("the store was written by a newer version of heddle")
	// ErrKey means that the store is encrypted with another master key than the one
	// given, or that none was given.
	ErrKey = errors.New("the key does not fit the store")
	// ErrRestoring means that only a part of a backup was restored into the store.
	ErrRestoring = errors.New(`a restore of the store was interrupted; run "heddle restore" again with the same backup`)
	// ErrForgotten means that a response cannot be saved because something it was made
	// from has been deleted.
	ErrForgotten = errors.New("the response was made from something that is deleted")
)
