package graph

import (
	"math"
	"slices"
	"time"
)

// mostPassed is the greatest number of messages of other conversations in a row that a
// walk passes. One more seals the side.
const mostPassed = 5

// tok walks from every message that was reached to its nearest neighbours on both sides,
// and reports whether it reached anything new. A gap longer than the threshold seals a
// side, and so do several messages in a row that an affinity puts in other conversations.
// Without an affinity, tok first reads the neighbours, as many as could be reached, so that
// most stretches are read once. With one, judge has read them.
func (x *expansion) tok() (bool, error) {
	if !x.judges {
		for _, at := range x.reached {
			for _, direction := range [...]Direction{Older, Newer} {
				if !x.entries[at].closed[direction] {
					x.walkFrom(at, direction, max(x.room(), 1))
				}
			}
		}
		if err := x.walk(); err != nil {
			return false, err
		}
	}
	x.ways = x.ways[:0]
	for _, at := range x.reached {
		x.step(at, Older)
		x.step(at, Newer)
	}
	return x.takeWays(), nil
}

// step handles one side of an entry that was reached. It records the way to the neighbour,
// closes the side if that was reached, or seals it. Messages of other conversations are
// passed.
func (x *expansion) step(from int, direction Direction) {
	e := &x.entries[from]
	if e.closed[direction] || !x.spreads(from) {
		return
	}
	at, apart := from, time.Duration(0)
	for passed := 0; ; passed++ {
		next := x.entries[at].neighbour[direction]
		if next == neighbourUnknown {
			return
		}
		if next < 0 {
			e.closed[direction] = true
			x.seal(at, direction, Seal{Why: sealReason(next)})
			return
		}
		neighbour, crossed := &x.entries[next], x.gapBetween(at, next, direction)
		apart += crossed
		switch beyond := neighbour.message.ID; {
		case x.separated(at, next, direction):
			e.closed[direction] = true
			neighbour.considered = neighbour.considered || !x.judges
			x.seal(at, direction, Seal{Why: SealGap, Beyond: beyond, Gap: crossed})
			return
		case x.judges && !neighbour.considered:
			return // it is not judged yet
		case x.belongs(next) || !x.judges:
			e.closed[direction] = neighbour.led
			if !neighbour.led {
				x.addWay(from, next, apart, Reason{Kind: ReasonTemporal, Probability: 1, Gap: apart})
			}
			return
		case passed == mostPassed:
			e.closed[direction] = true
			x.seal(at, direction, Seal{Why: SealAffinity, Beyond: beyond})
			return
		}
		at = next
	}
}

// seal closes a side of a message for good. It fills in the place and time of the seal.
func (x *expansion) seal(at int, direction Direction, s Seal) {
	e := &x.entries[at]
	if e.sealed[direction] {
		return
	}
	e.sealed[direction] = true
	s.At, s.Channel, s.Direction, s.Round = e.message.ID, e.message.Channel, direction, x.round
	x.seals = append(x.seals, s)
}

// sealReason returns the reason of a seal where there is no neighbour.
func sealReason(neighbour int) SealReason {
	switch neighbour {
	case neighbourChannelEnd:
		return SealChannel
	case neighbourUnreadable:
		return SealUnreadable
	case neighbourTrigger:
		return SealTrigger
	}
	return SealBudget
}

// A channel's pace is the mean of its last gaps, without the smallest and the largest
// of them, so that neither a burst nor a night decides. Every other duration here is a
// multiple of the pace, so that a channel which is sixty times slower is treated alike.
const (
	paceGaps = 50
	paceTrim = 0.1 // the share of the gaps that is dropped at each end
	// paceThreshold is the longest gap that does not seal, in units of the pace. On
	// annotated logs, 3 to 8 do as well as ten minutes; below 3, conversations break.
	paceThreshold = 5
	// paceFloor is the least gap that seals because of the pace. A burst of messages
	// within milliseconds does not show how long people take to read and write.
	paceFloor = 10 * time.Second
)

// gap returns the time between two neighbours. It is zero between an answer of heddle's
// and its question, or a message that was sent before it arrived.
func gap(older, newer *Message) time.Duration {
	if newer.Answers != 0 && newer.Answers == older.ID {
		return 0
	}
	return max(newer.Time.Sub(older.Time), 0)
}

// threshold returns the longest gap that a walk crosses, by the options or by the pace
// of the messages before the trigger.
func (l *line) threshold() time.Duration {
	if l.options.TimeThreshold != AutoThreshold {
		return l.options.TimeThreshold
	}
	gaps := make([]time.Duration, 0, paceGaps)
	for at := 0; len(gaps) < paceGaps; {
		older := l.entries[at].neighbour[Older]
		if older < 0 {
			break
		}
		gaps = append(gaps, gap(l.entries[older].message, l.entries[at].message))
		at = older
	}
	return longestGap(gaps)
}

// longestGap returns the longest gap that is usual among gaps, at least paceFloor. If there
// are none, every gap is usual. It sorts gaps.
func longestGap(gaps []time.Duration) time.Duration {
	if len(gaps) == 0 {
		return math.MaxInt64
	}
	slices.Sort(gaps)
	trim := int(math.Ceil(float64(len(gaps)) * paceTrim))
	if 2*trim >= len(gaps) {
		trim = 0
	}
	sum := 0.0 // nanoseconds
	for _, g := range gaps[trim : len(gaps)-trim] {
		sum += float64(g)
	}
	pace := sum / float64(len(gaps)-2*trim)
	return max(time.Duration(min(pace*paceThreshold, math.MaxInt64)), paceFloor)
}
