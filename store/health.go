package store

import (
	"context"
	"errors"
	"sync"
	"time"
)

// health is what is wrong with the engine. Each kind of trouble is logged once until it is
// over. Reads may fail, or only writes: a successful read proves nothing about writes. A
// full engine still reads, and accepts writes that fit.
//
// mu guards the fields below it; it is never held over I/O.
type health struct {
	mu            sync.Mutex
	reads, writes bool      // whether these calls fail
	full          time.Time // when the engine last was full; zero if it has room
}

// roomAfter is how long a full engine must refuse nothing before it counts as having room
// again. Each deletion makes room for a few small writes.
const roomAfter = time.Minute

// trouble is the state that is logged.
type trouble struct{ away, full bool }

func (h *health) troubleLocked() trouble { return trouble{h.reads || h.writes, !h.full.IsZero()} }

// note records the result of a call, and returns the trouble before and after it. A call
// that was not tried changes nothing.
func (h *health) note(wrote bool, err error, now time.Time) (before, after trouble) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before = h.troubleLocked()
	full := errors.Is(err, ErrFull)
	away := err != nil && !full
	switch {
	case errors.Is(err, ErrUntried):
		return before, before
	case wrote:
		h.writes, h.reads = away, h.reads && away
	default:
		h.reads = away
	}
	switch {
	case full:
		h.full = now
	case wrote && !away && now.Sub(h.full) >= roomAfter:
		h.full = time.Time{}
	}
	return before, h.troubleLocked()
}

// call calls the engine and records the result. do returns whether it wrote.
func (s *vault) call(ctx context.Context, do func() (wrote bool, err error)) error {
	failures := s.failed.Load()
	wrote, err := do()
	failed := errors.Is(err, ErrUnavailable)
	if err != nil && !failed {
		return err
	}
	switch {
	case failed:
		s.failed.Add(1)
	case err == nil && s.failed.Load() != failures: // others failed after it began, so it does not show that the store works now
		return nil
	}
	before, after := s.health.note(wrote, err, s.now())
	switch {
	case after.away && !before.away:
		s.log.ErrorContext(ctx, "the store is unavailable; nothing is stored until it works again", "error", err)
	case before.away && !after.away:
		s.fits.Store(0) // the engine may have come back empty
		s.log.InfoContext(ctx, "the store works again")
	}
	switch {
	case after.full && !before.full:
		s.log.ErrorContext(ctx, "the store is full; what does not fit is not stored until there is room", "error", err)
	case before.full && !after.full:
		s.log.InfoContext(ctx, "the store has room again")
	}
	return err
}
