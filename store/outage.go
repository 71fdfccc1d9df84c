package store

import (
	"context"
	"errors"
	"sync"
)

// call is what the engine was asked, and what came of it.
type call struct {
	write bool
	bytes int // that it was to keep
	err   error
}

// changed is the call that made changes. One that keeps nothing says nothing of writes,
// as what is full lets go all the same; nor does one whose condition did not hold.
func changed(changes []Change, failed []int, err error) call {
	c := call{err: err}
	for i, change := range changes {
		if err == nil && failed[i] != Applied {
			continue
		}
		for _, op := range change.Ops {
			switch op.Kind {
			case OpPut, OpRaise, OpAdd:
				c.write = true
				c.bytes += len(change.Scope) + len(op.Name) + len(op.Value)
			case OpHold:
				c.write = true // and a lease takes hardly any room
			case OpAbsent, OpPresent, OpBelow, OpHeld, OpFree, OpRemove, OpDelete:
			}
		}
	}
	return c
}

// outage knows what is the matter with the engine. One that is away does not read or
// does not write: who only reads says nothing of writes, but who writes is there. One
// that is full still reads, and writes what happens to fit.
//
// mu guards what follows it; it is never held over I/O.
type outage struct {
	mu            sync.Mutex
	reads, writes bool // fail
	// room is how many bytes a full engine must take, without refusing any in between,
	// to count as having room again; 0: it is not full. taken are those so far.
	room, taken int
}

// A full engine has room again when it took several times what it refused: what is let
// go here and there makes room for one thing or the other.
const (
	severalTimes = 4
	leastRefused = 8 << 10 // bytes; about what an answer takes with all that it is found by
)

// trouble is what is the matter.
type trouble struct{ away, full bool }

// turn notes what came of a call, and says what was the matter before and what is now.
// One that was not tried says nothing: meanwhile another may have found the engine there.
func (o *outage) turn(c call) (before, now trouble) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before = o.troubleLocked()
	if errors.Is(c.err, ErrUntried) {
		return before, before
	}
	full := errors.Is(c.err, ErrFull)
	away := c.err != nil && !full
	if c.write {
		o.writes = away
		o.reads = o.reads && away
	} else {
		o.reads = away
	}
	switch {
	case full:
		o.room, o.taken = max(o.room, severalTimes*max(c.bytes, leastRefused)), 0
	case !away && c.write && o.room > 0:
		if o.taken += c.bytes; o.taken >= o.room {
			o.room = 0
		}
	}
	return before, o.troubleLocked()
}

func (o *outage) troubleLocked() trouble { return trouble{o.reads || o.writes, o.room > 0} }

// lasts says whether something is the matter.
func (o *outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.troubleLocked() != trouble{}
}

// note takes what came of a read. It returns the error it was given.
func (s *base) note(ctx context.Context, err error) error { return s.took(ctx, call{err: err}) }

// took takes what came of a call, and tells the operator, once each time, that the
// store went or came back, is full or has room again. It returns the call's error.
func (s *base) took(ctx context.Context, c call) error {
	failed := errors.Is(c.err, ErrUnavailable)
	if c.err != nil && !failed {
		return c.err
	}
	if failed {
		s.counters.failed.Add(1)
	}
	before, now := s.outage.turn(c)
	switch {
	case now.away && !before.away:
		s.log.ErrorContext(ctx, "the store does not work; nothing is remembered until it does", "error", c.err)
	case before.away && !now.away:
		s.known.forget() // it may have come back empty
		s.log.InfoContext(ctx, "the store works again")
	}
	switch {
	case now.full && !before.full:
		s.log.ErrorContext(ctx, "the store is full; what does not fit is not remembered until it has room", "error", c.err)
	case before.full && !now.full:
		s.log.InfoContext(ctx, "the store has room again")
	}
	return c.err
}
