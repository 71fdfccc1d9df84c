package store

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Timeout bounds writes to the store after the context of the work itself has ended.
const Timeout = 30 * time.Second

var (
	// ErrUnavailable means that the store cannot be reached or rejects writes: Redis is
	// down, read-only or out of memory, or the disk is full. The same call may succeed
	// later.
	ErrUnavailable = errors.New("the store is not available")
	// ErrFull is an ErrUnavailable that means that the disk or the memory is full.
	// Reads still work, and smaller writes may fit.
	ErrFull = fmt.Errorf("%w: it is full", ErrUnavailable)
	// ErrUntried is an ErrUnavailable that means that the call was not attempted,
	// because recent calls failed.
	ErrUntried = fmt.Errorf("%w: not tried, because recent calls failed", ErrUnavailable)
	// ErrLocked means that another process holds the embedded store.
	ErrLocked = errors.New("the store is in use by another process")
	// ErrCorrupt means that an entry does not decode or does not match its hash.
	ErrCorrupt = errors.New("a stored entry is damaged")
	// ErrForeign means that another program keeps its data where the store should be.
	ErrForeign = errors.New("another program keeps its data here")
	// ErrSchema means that the store was written by another version of heddle.
	ErrSchema = errors.New("the store was written by another version of heddle")
	// ErrKey means that the store is encrypted with another master key than the one
	// given, or that none was given.
	ErrKey = errors.New("the key does not fit the store")
	// ErrRestoring means that only a part of a backup was restored into the store.
	ErrRestoring = errors.New(`a restore of the store was interrupted; run "heddle restore" again with the same backup`)
	// ErrForgotten means that a response cannot be saved or rated because something
	// that it was made from has been deleted.
	ErrForgotten = errors.New("the response was made from something that was deleted")
)

// LogLevel returns the level at which a caller logs an error of the store. It is Debug for
// errors of an outage, because the store logs the outage itself.
func LogLevel(err error) slog.Level {
	if errors.Is(err, ErrUnavailable) {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}
