package graph

import (
	"math"
	"slices"
	"time"
)

// A channel's pace is the mean of its last gaps without the smallest and the
// greatest of them: a burst or a night must not decide. Everything that is judged
// by it is a multiple of it, so that a channel which is sixty times slower is
// judged alike.
const (
	paceGaps = 50
	paceTrim = 0.1 // of the gaps, at either end
	// paceThreshold is how many times the pace a gap may be before it seals. On
	// annotated logs from 3 to 8 do as well as ten minutes; below, talks break.
	paceThreshold = 5
	// paceFloor is the least that the pace makes of a gap that seals. A burst of messages
	// within milliseconds says nothing of how long people take to read and to write.
	paceFloor = 10 * time.Second
)

// gap is the time between two neighbours. An answer of heddle's leaves none to
// what it answers, nor to what was said before it came.
func gap(older, newer *Message) time.Duration {
	if newer.Answers != 0 && newer.Answers == older.ID {
		return 0
	}
	return max(newer.Time.Sub(older.Time), 0)
}

// threshold is the longest gap to walk across, by the options or by the pace of
// the messages before the trigger. Where there are none every gap may be crossed.
func (l *line) threshold(fixed time.Duration) time.Duration {
	if fixed != AutoThreshold {
		return fixed
	}
	gaps := make([]time.Duration, 0, paceGaps)
	for at := 0; len(gaps) < paceGaps; {
		older := l.entries[at].beside[Older]
		if older < 0 {
			break
		}
		gaps = append(gaps, gap(l.entries[older].message, l.entries[at].message))
		at = older
	}
	return paceLimit(gaps)
}

// paceLimit returns the longest gap that some gaps make usual, at least paceFloor. It sorts
// them.
func paceLimit(gaps []time.Duration) time.Duration {
	pace, ok := trimmedMean(gaps)
	if !ok {
		return math.MaxInt64
	}
	return max(time.Duration(min(pace*paceThreshold, math.MaxInt64)), paceFloor)
}

// trimmedMean sorts the gaps and returns the mean of the middle ones, in nanoseconds.
func trimmedMean(gaps []time.Duration) (mean float64, ok bool) {
	if len(gaps) == 0 {
		return 0, false
	}
	slices.Sort(gaps)
	cut := int(math.Ceil(float64(len(gaps)) * paceTrim))
	if 2*cut >= len(gaps) {
		cut = 0
	}
	sum := 0.0
	for _, g := range gaps[cut : len(gaps)-cut] {
		sum += float64(g)
	}
	return sum / float64(len(gaps)-2*cut), true
}
