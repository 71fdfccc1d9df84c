package storetest

import (
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"
)

// asking is a kind of operation on a claim.
type asking uint8

const (
	askClaim asking = iota
	askRenew
	askRelease
	askDone
	askIsDone
	askRestart // all processes end, together with their leases
)

// reply is the result of an operation.
type reply uint8

const (
	outYes reply = iota
	outHeld
	outDone
	outNotDone
	outLost
	outUnknown // no answer; the operation may take effect at any time
	outUntried // the operation was not tried
)

// asked is an operation on a claim.
type asked struct {
	kind  asking
	lease int   // the number of the lease, which is unique
	until int64 // time until which the process relies on the lease, if it got it
	span  window
}

// window is the earliest and the latest time at which an operation took effect.
type window struct{ from, to int64 }

// leases is the state of a claim in the model. Times are in nanoseconds since the
// history began.
type leases struct {
	done  bool
	owner int // the lease that is held; 0: none
	ends  window
	now   int64 // the earliest possible time of the last operation
}

// grain is the precision with which engines measure the ends of leases. Redis uses
// milliseconds.
const grain = int64(2 * time.Millisecond)

// leaseModel returns the model. Each operation takes effect at the earliest time that
// the history allows, which restricts later operations least.
func leaseModel() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			return [][]porcupine.Operation{spanned(history)}
		},
		Init: func() any { return leases{} },
		Step: func(state, input, output any) (bool, any) {
			s, _ := state.(leases)
			in, _ := input.(asked)
			out, _ := output.(reply)
			ok := s.step(in, out)
			return ok, s
		},
	}
}

// spanned adds to the input of each operation the times of its call and its return.
func spanned(history []porcupine.Operation) []porcupine.Operation {
	all := make([]porcupine.Operation, len(history))
	for i, o := range history {
		in, _ := o.Input.(asked)
		in.span = window{o.Call, o.Return}
		o.Input = in
		all[i] = o
	}
	return all
}

// step applies one operation, and reports whether the model allows its result.
func (s *leases) step(in asked, out reply) bool {
	s.now = max(s.now, in.span.from)
	switch in.kind {
	case askClaim:
		if !s.claims(in, out) {
			return false
		}
	case askRenew:
		if !s.renews(in, out) {
			return false
		}
	case askRelease:
		s.frees(in.lease)
	case askDone:
		s.done = true
		s.frees(in.lease)
	case askIsDone:
		if s.done != (out == outYes) {
			return false
		}
	case askRestart:
		s.owner = 0
	}
	return s.now <= in.span.to
}

// claims applies a successful claim.
func (s *leases) claims(in asked, out reply) bool {
	switch out {
	case outDone:
		return s.done
	case outHeld:
		return !s.done && s.isHeld()
	case outYes:
		if s.done {
			return false
		}
	case outNotDone, outLost, outUnknown, outUntried:
		if s.done {
			return true
		}
	}
	if s.owner != 0 && s.owner != in.lease { // not before the other lease has ended
		s.now = max(s.now, s.ends.from)
	}
	s.owner = in.lease
	s.holds(in, out)
	return true
}

// renews applies a successful renewal, which is possible only if the lease was not
// lost.
func (s *leases) renews(in asked, out reply) bool {
	mine := s.owner == in.lease
	switch out {
	case outLost:
		if mine {
			s.now = max(s.now, s.ends.from)
			s.owner = 0
		}
		return true
	case outYes:
		if !mine || !s.isHeld() {
			return false
		}
	case outHeld, outDone, outNotDone, outUnknown, outUntried:
		if !mine || !s.isHeld() {
			return true
		}
	}
	s.holds(in, out)
	return true
}

// isHeld reports whether the lease may still be held.
func (s *leases) isHeld() bool { return s.owner != 0 && s.now-grain < s.ends.to }

// holds sets the end of a lease that begins now. If its process got no answer, only the
// earliest end is known.
func (s *leases) holds(in asked, out reply) {
	s.ends = window{s.now + int64(contestedFor) - grain, in.span.to}
	if in.span.to != forever {
		s.ends.to += int64(contestedFor)
	}
	if out == outYes {
		s.ends.from = max(s.ends.from, in.until-grain)
	}
}

func (s *leases) frees(lease int) {
	if s.owner == lease {
		s.owner = 0
	}
}

func describe(o porcupine.Operation) string {
	in, _ := o.Input.(asked)
	out, _ := o.Output.(reply)
	asked := []string{"claim", "renew", "release", "done", "isDone", "restart"}[in.kind]
	told := []string{"yes", "held", "done", "not done", "lost", "?"}[out]
	return fmt.Sprintf("%9d–%-9d process %d: %s %d until %d: %s", o.Call/1000, o.Return/1000, o.ClientId, asked, in.lease, in.until/1000, told)
}
