package store

import (
	"context"
	"errors"
	"sync"
)

// call is what the engine was asked, and the result.
type call struct {
	write bool
	bytes int // to be stored
	err   error
}

// changed describes a call of Apply. It counts as a write if it stores something: a
// full engine still deletes, and a change whose condition does not hold writes
// nothing. A deletion that the engine failed counts, too, as a read proves nothing
// about it: a replica still reads.
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
				c.write = true // a lease takes hardly any room
			case OpFree, OpRemove, OpDelete:
				c.write = c.write || errors.Is(err, ErrUnavailable)
			case OpAbsent, OpPresent, OpSame, OpBelow, OpHeld:
			}
		}
	}
	return c
}

// outage tracks what is wrong with the engine. It may fail to read or fail to write. A
// successful read proves nothing about writes, but a successful write proves that reads
// work. A full engine still reads, and writes what happens to fit.
//
// mu guards what follows it; it is never held over I/O.
type outage struct {
	mu            sync.Mutex
	reads, writes bool // fail
	failures      int  // calls that failed so far
	// room is how many bytes a full engine must accept without refusing any before it
	// counts as having room again; 0 if it is not full. taken is how many it has
	// accepted so far.
	room, taken int
}

// A full engine must accept several times what it refused, because single deletions
// make room for a little now and then.
const (
	severalTimes = 4
	leastRefused = 8 << 10 // bytes: about an answer with its indexes
)

// trouble is what is wrong with the engine.
type trouble struct{ away, full bool }

// begins returns what a call that begins now passes to turn.
func (o *outage) begins() (began int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failures
}

// turn notes the result of a call, and returns what was wrong before and what is wrong
// now. An untried call changes nothing: another may have succeeded meanwhile. Nor does one
// that succeeded but began before another failed: the engine may have gone since.
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

// lasts reports whether something is wrong.
func (o *outage) lasts() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.troubleLocked() != trouble{}
}

// note notes the result of a read. It returns the error it was given.
func (s *base) note(ctx context.Context, began int, err error) error {
	return s.took(ctx, began, call{err: err})
}

// took notes the result of a call. It logs once each time that the store fails, works
// again, is full or has room again. It returns the call's error.
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
		s.log.ErrorContext(ctx, "the store is unavailable; nothing is remembered until it works again", "error", c.err)
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
