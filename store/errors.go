package store

import (
	"errors"
	"fmt"
)

var (
	// ErrUnavailable is met when the store cannot be reached or does not take what
	// it is given: Redis is down, read-only or out of memory, the disk is full. The
	// same call may work later.
	ErrUnavailable = errors.New("the store is not available")
	// ErrFull is an ErrUnavailable: there is no room for what is to be kept. What is
	// kept can be read all the same, and what is smaller may fit.
	ErrFull = fmt.Errorf("%w, as it is full", ErrUnavailable)
	// ErrUntried is an ErrUnavailable: the store was not asked, as earlier calls failed.
	ErrUntried = fmt.Errorf("%w, as of late it was not", ErrUnavailable)
	// ErrLocked is met when another process holds the embedded store.
	ErrLocked = errors.New("the store is in use by another process")
	// ErrCorrupt is met when an entry does not decode or does not fit its hash.
	ErrCorrupt = errors.New("a stored entry is damaged")
	// ErrSchema is met when the store was written by a newer heddle.
	ErrSchema = errors.New("the store was written by a newer version of heddle")
	// ErrForgotten is met when a response is to be saved that was made from
	// something deleted in the meantime.
	ErrForgotten = errors.New("the response was made from something that is deleted")
)
