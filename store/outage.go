package store

import (
	"context"
	"errors"
	"sync"
)

// call is a call of the engine with its result.
type call struct {
	write bool
	bytes int // number of bytes to be stored
	err   error
}

// changed describes a call of Apply. The call counts as a write if it stored something.
// Deleting does not count, because a full engine still deletes, and neither does a
// change whose condition did not hold. A deletion that failed does count: reads prove
// nothing about deletions, because a read-only replica still reads.
func changed(changes []Change, failed []int, err error) call {
	c := call{err: err}
	for i, change := range changes {
		if err == nil && failed[i] != Applied {
			continue
		}
		for _, op := range change.Ops {
			switch op.Kind {
			case OpPut, OpRaise, OpAdd, OpCount, OpWindow:
				c.write = true
				c.bytes += len(change.Scope) + len(op.Name) + len(op.Value)
			case OpHold:
				c.write = true // it stores a lease, which takes hardly any room
			case OpFree, OpRemove, OpDelete:
				c.write = c.write || errors.Is(err, ErrUnavailable)
			case OpAbsent, OpPresent, OpSame, OpBelow, OpHeld:
			}
		}
	}
	return c
}

// outage tracks what is wrong with the engine. Reads may fail, or only writes. A
// successful read proves nothing about writes, but a successful write proves that reads
// work. A full engine still reads, and accepts writes that fit.
//
// mu guards the fields below it; it is never held over I/O.
type outage struct {
	mu            sync.Mutex
	reads, writes bool // whether these calls fail
	failures      int  // number of calls that failed so far
	// room is how many bytes in a row a full engine must accept before it counts as
	// having room again, and 0 if the engine is not full. taken is how many bytes it
	// has accepted since it last refused some.
	room, taken int
}

// A full engine must accept several times the bytes that it refused, because each
// deletion makes room for a few.
const (
	severalTimes = 4
	leastRefused = 8 << 10 // bytes: about the size of an answer with its indexes
)

// trouble is the state that is logged: whether the engine is away, and whether it is
// full.
type trouble struct{ away, full bool }

// begins is called when a call of the engine begins. It returns the number to pass to
// turn.
func (o *outage) begins() (began int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failures
}

// turn records the result of a call, and returns the trouble before and after it. A
// call that was not tried changes nothing, because another may have succeeded
// meanwhile. A call that succeeded but began before another one failed changes nothing
// either, because the engine may have failed in between.
func (o *outage) turn(began int, c call) (before, now trouble) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before = o.troubleLocked()
	if errors.Is(c.err, ErrUntried) || c.err == nil && began < o.failures {
		return before, before
	}
	full := errors.Is(c.err, ErrFull)
	away := c.err != nil && !full
	if away {
		o.failures++
	}
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

// lasts reports whether there is any trouble.
func (o *outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.troubleLocked() != trouble{}
}

// note records the result of a read. It returns err.
func (s *base) note(ctx context.Context, began int, err error) error {
	return s.took(ctx, began, call{err: err})
}

// took records the result of a call. It logs once when the store fails, works again,
// becomes full or has room again. It returns the call's error.
func (s *base) took(ctx context.Context, began int, c call) error {
	failed := errors.Is(c.err, ErrUnavailable)
	if c.err != nil && !failed {
		return c.err
	}
	if failed {
		s.counters.failed.Add(1)
	}
	before, now := s.outage.turn(began, c)
	switch {
	case now.away && !before.away:
		s.log.ErrorContext(ctx, "the store is unavailable; nothing is stored until it works again", "error", c.err)
	case before.away && !now.away:
		s.known.forget() // the engine may have come back empty
		s.log.InfoContext(ctx, "the store works again")
	}
	switch {
	case now.full && !before.full:
		s.log.ErrorContext(ctx, "the store is full; what does not fit is not stored until there is room", "error", c.err)
	case before.full && !now.full:
		s.log.InfoContext(ctx, "the store has room again")
	}
	return c.err
}
