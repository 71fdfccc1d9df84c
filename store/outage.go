package store

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// outage knows what of the engine failed when it was last asked. One that is full, or
// that only reads, still reads: a read says nothing of writes, but who writes is there.
//
// mu guards what follows it; it is never held over I/O.
type outage struct {
	mu            sync.Mutex
	reads, writes bool // fail
}

// turn notes what came of a call and says whether the outage began or ended by it.
func (o *outage) turn(write, failed bool) (began, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.reads || o.writes
	switch {
	case write:
		o.writes = failed
		o.reads = o.reads && failed
	default:
		o.reads = failed
	}
	now := o.reads || o.writes
	return now && !before, before && !now
}

// lasts says whether something fails.
func (o *outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reads || o.writes
}

// fills says whether changes take room: what is full lets go all the same.
func fills(changes []Change) bool {
	return slices.ContainsFunc(changes, func(change Change) bool {
		return slices.ContainsFunc(change.Ops, func(op Op) bool {
			return op.Kind == OpPut || op.Kind == OpRaise || op.Kind == OpAdd || op.Kind == OpHold
		})
	})
}

// note takes what came of a read, and tells the operator, once each time, that the
// store went or came back. It returns the error it was given.
func (s *Store) note(ctx context.Context, err error) error { return s.took(ctx, false, err) }

// noteWrite is note for what came of a write.
func (s *Store) noteWrite(ctx context.Context, err error) error { return s.took(ctx, true, err) }

func (s *Store) took(ctx context.Context, write bool, err error) error {
	failed := errors.Is(err, ErrUnavailable)
	if err != nil && !failed {
		return err
	}
	if failed {
		s.counters.failed.Add(1)
	}
	switch began, ended := s.outage.turn(write, failed); {
	case began:
		s.log.ErrorContext(ctx, "the store does not work; nothing is remembered until it does", "error", err)
	case ended:
		s.known.forget() // it may have come back empty
		s.log.InfoContext(ctx, "the store works again")
	}
	return err
}
